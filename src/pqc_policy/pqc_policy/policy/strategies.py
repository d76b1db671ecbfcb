# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A strategy is a list of rules; the first rule with a proposal decides.

A package of its own may add a strategy, a learned one for instance, as an entry point; the reasons
to hold apply to it as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from importlib.metadata import entry_points
from typing import Any

from pqc_policy.foreign_fault import sentence
from pqc_policy.parameters import ParameterFault
from pqc_policy.policy import agent, expert, renewals, rules
from pqc_policy.policy.config import STRATEGY_GROUP, PolicyConfig
from pqc_policy.policy.guarded_rule import guarded
from pqc_policy.policy.needs import needs_of
from pqc_policy.policy.operator import operator
from pqc_policy.policy.profile import SHIPPED
from pqc_policy.policy.rules import Rule
from pqc_policy.policy.wording import SHORT_NAMES


@dataclass(frozen=True)
class Strategy:
    """The rules in their order, and the parameters that the strategy sets itself."""

    rules: tuple[Rule, ...]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    profile: str = SHIPPED[0]  # the shipped profile to use where none is configured

    @property
    def excludes(self) -> bool:
        """Whether it excludes suites by levels, as `expert` does."""
        return expert.choose in self.rules

    @property
    def steps(self) -> bool:
        """Whether it goes step by step."""
        return rules.link in self.rules

    @property
    def asks_agent(self) -> bool:
        """Whether an agent takes part, and without one the rules of FALLBACK decide."""
        return agent.agent in self.rules or agent.leeway in self.rules


_TELEMETRY_AWARE: tuple[Rule, ...] = (
    rules.session,
    rules.emergency,
    rules.blackout,
    rules.cooldown,
    operator,
    renewals.event,
    rules.link,
    rules.attack,
    rules.stress,
    renewals.signature,
    renewals.fleet,
    renewals.rekey,
    rules.upgrade,
    rules.safety,
    rules.endure,
    rules.nominal,
)
_TABLES: Mapping[str, tuple[Rule, ...]] = {
    "static": (
        rules.session,
        rules.cooldown,
        operator,
        renewals.fleet,
        renewals.rekey,
        rules.safety,
        rules.nominal,
    ),
    "telemetry_aware": _TELEMETRY_AWARE,
    # Table II of the paper, in its order.
    "paper_2025": (
        rules.safety,
        rules.emergency,
        rules.blackout,
        rules.cooldown,
        rules.link,
        rules.stress,
        renewals.rekey,
        rules.upgrade,
        rules.nominal,
    ),
    "expert": (
        rules.session,
        rules.emergency,
        rules.blackout,
        rules.cooldown,
        operator,
        expert.choose,
        rules.nominal,
    ),
    # An agent decides what is no matter of rules: emergencies, events, and keys that are overdue.
    "rl": (
        rules.session,
        rules.emergency,
        rules.blackout,
        rules.cooldown,
        operator,
        renewals.event,
        renewals.fleet,
        renewals.overdue,
        agent.agent,
        rules.safety,
        rules.nominal,
    ),
    # An agent where none of the rules acts, and in place of `upgrade`.
    "hybrid": tuple(agent.leeway if rule is rules.upgrade else rule for rule in _TELEMETRY_AWARE),
}
FALLBACK = "telemetry_aware"
# The table knows neither loss nor round trip, no delay, no limit of an episode, no wait after a
# failure, and no reserve among its five rekeys.
_AS_PUBLISHED = {
    "as_published": True,
    "link_loss": 1.0,
    "link_rtt_s": 60.0,
    "emergency_voltage_s": 0.0,
    "emergency_temperature_s": 0.0,
    "blackout_blacklist_s": 1800.0,
    "step_down_limit": 100,
    "retry_s": 0.0,
    "rekey_reserve": 0,
}
STRATEGIES: Mapping[str, Strategy] = {
    name: Strategy(table, _AS_PUBLISHED, "raspberry_pi_5")
    if name == "paper_2025"
    else Strategy(table)
    for name, table in _TABLES.items()
}


def find_strategy(name: str) -> Strategy:
    """Return a strategy of this package or of an entry point; raise ParameterFault otherwise."""
    if name in STRATEGIES:
        return STRATEGIES[name]
    found = tuple(entry_points(group=STRATEGY_GROUP, name=name))
    if not found:
        raise ParameterFault(f"There is no strategy {name}.")
    try:
        strategy = found[0].load()
    except Exception as fault:  # whatever a foreign package raises
        raise ParameterFault(f"The strategy {name} can't be loaded: {sentence(fault)}") from fault
    if not isinstance(strategy, Strategy):
        raise ParameterFault(f"The entry point {name} is no Strategy.")
    return _checked(name, strategy)


def _checked(name: str, strategy: Strategy) -> Strategy:
    """Return the strategy with guards about its own rules, and with `nominal` as the last one."""
    unknown = set(strategy.fixed) - {field.name for field in fields(PolicyConfig)}
    if unknown:
        raise ParameterFault(f"The strategy {name} sets {min(unknown)}, which is no parameter.")
    if strategy.profile not in SHIPPED:
        raise ParameterFault(f"The strategy {name} asks for no shipped profile.")
    known = [rule for table in _TABLES.values() for rule in table]
    own = [rule for rule in strategy.rules if rule not in known]
    if not all(callable(rule) and hasattr(rule, "__name__") for rule in own):
        raise ParameterFault(f"The strategy {name} has a rule that is no function.")
    lacking = {what for rule in own for what in (*needs_of(rule).every, *needs_of(rule).one_of)}
    if lacking - set(SHORT_NAMES):
        raise ParameterFault(
            f"The strategy {name} needs {min(lacking - set(SHORT_NAMES))}, which is no input."
        )
    guards = tuple(guarded(rule) if rule in own else rule for rule in strategy.rules)
    last = () if rules.nominal in guards else (rules.nominal,)
    return replace(strategy, rules=(*guards, *last))
