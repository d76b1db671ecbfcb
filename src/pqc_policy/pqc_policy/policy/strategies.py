# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A strategy is a list of rules; the first rule with a proposal decides.

A package of its own may add a strategy, a learned one for instance, as an entry point; the reasons
to hold apply to it as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from pqc_policy.parameters import ParameterFault
from pqc_policy.plugins import load_plugin
from pqc_policy.policy import expert, renewals, rules
from pqc_policy.policy.config import STRATEGY_GROUP, PolicyConfig
from pqc_policy.policy.guarded_rule import guarded
from pqc_policy.policy.needs import needs_of
from pqc_policy.policy.operator import operator
from pqc_policy.policy.profile import SHIPPED
from pqc_policy.policy.rules import Rule
from pqc_policy.policy.wording import SHORT_NAMES

_PACKAGE = "pqc_policy"


@dataclass(frozen=True)
class Strategy:
    """The rules in their order, and the parameters that the strategy sets itself."""

    rules: tuple[Rule, ...]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    profile: str = SHIPPED[0]  # the shipped profile to use where none is configured
    own_rules: tuple[str, ...] = ()  # the names of the rules of another package

    @property
    def excludes(self) -> bool:
        """Whether it excludes suites by levels, as `expert` does."""
        return expert.choose in self.rules

    @property
    def steps(self) -> bool:
        """Whether it goes step by step."""
        return rules.link in self.rules


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
}
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
    strategy = load_plugin(STRATEGY_GROUP, "strategy", name, ParameterFault)
    if not isinstance(strategy, Strategy):
        raise ParameterFault(f"The entry point {name} is no Strategy.")
    return checked(name, strategy)


def checked(name: str, strategy: Strategy) -> Strategy:
    """Return the strategy with guards about its own rules, and with `nominal` as the last one."""
    unknown = set(strategy.fixed) - {field.name for field in fields(PolicyConfig)}
    if unknown:
        raise ParameterFault(f"The strategy {name} sets {min(unknown)}, which is no parameter.")
    if strategy.profile not in SHIPPED:
        raise ParameterFault(f"The strategy {name} asks for no shipped profile.")
    own = [rule for rule in strategy.rules if not rule.__module__.startswith(f"{_PACKAGE}.")]
    if not all(callable(rule) and hasattr(rule, "__name__") for rule in own):
        raise ParameterFault(f"The strategy {name} has a rule that is no function.")
    lacking = {what for rule in own for what in (*needs_of(rule).every, *needs_of(rule).one_of)}
    if lacking - set(SHORT_NAMES):
        raise ParameterFault(
            f"The strategy {name} needs {min(lacking - set(SHORT_NAMES))}, which is no input."
        )
    guards = tuple(guarded(rule) if rule in own else rule for rule in strategy.rules)
    last = () if rules.nominal in guards else (rules.nominal,)
    names = tuple(rule.__name__ for rule in own)
    return replace(strategy, rules=(*guards, *last), own_rules=names)
