# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A strategy is a list of wishes behind the guards that all share; the first proposal decides.

A package of its own may add a strategy, a learned one for instance, as an entry point; the reasons
to hold apply to it as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from math import inf
from typing import Any

from pqc_policy.parameters import ParameterFault
from pqc_policy.plugins import load_plugin
from pqc_policy.policy.config import STRATEGY_GROUP, ExpertConfig, PolicyConfig
from pqc_policy.policy.inputs import INPUTS, DecisionInput
from pqc_policy.policy.profile import SHIPPED
from pqc_policy.policy.rules import guards, renewals, steps
from pqc_policy.policy.rules.guarded_rule import guarded
from pqc_policy.policy.rules.needs import Rule, needs_of
from pqc_policy.policy.rules.operator import operator
from pqc_policy.policy.strategies import expert


def _everything(inputs: DecisionInput) -> DecisionInput:
    return inputs


_PACKAGE = "pqc_policy"
# They come before the wishes of a strategy; one of another package can't leave any out.
GUARDS: tuple[Rule, ...] = (
    guards.session,
    guards.emergency,
    guards.blackout,
    guards.cooldown,
    operator,
)


@dataclass(frozen=True)
class Strategy:
    """Wishes, of which the first one that proposes something decides, and what else it sets."""

    wishes: tuple[Rule, ...]
    fixed: Mapping[str, Any] = field(default_factory=dict)  # parameters that it sets itself
    profile: str = SHIPPED[0]  # the shipped profile to use where none is configured
    sees: Callable[[DecisionInput], DecisionInput] = _everything  # of the inputs
    guards: tuple[Rule, ...] = GUARDS
    own_rules: tuple[str, ...] = ()  # the names of the wishes of another package

    @property
    def rules(self) -> tuple[Rule, ...]:
        """All rules in their order."""
        return tuple(dict.fromkeys((*self.guards, *self.wishes)))

    @property
    def excludes(self) -> bool:
        """Whether it excludes suites by levels, as `expert` does."""
        return expert.choose in self.wishes

    @property
    def steps(self) -> bool:
        """Whether it goes step by step."""
        return steps.link in self.wishes


_TELEMETRY_AWARE: tuple[Rule, ...] = (
    renewals.event,
    steps.link,
    steps.attack,
    steps.stress,
    renewals.fleet,
    renewals.rekey,
    steps.upgrade,
    guards.safety,
    steps.endure,
    steps.nominal,
)


def _published_inputs(inputs: DecisionInput) -> DecisionInput:
    """Return the inputs of the published table alone."""
    link = inputs.link.value
    seen_link = link and replace(link, rate_bytes_s=None)
    return DecisionInput(
        inputs.now_s,
        link=replace(inputs.link, value=seen_link),
        battery=inputs.battery,
        thermal=inputs.thermal,
        armed=inputs.armed,
        session=inputs.session,
    )


# The published table knows neither loss nor round trip, no delay of an emergency and no margin
# around it, no limit of an episode, no wait after a failure, no reserve among its five rekeys, no
# stagger, and none of the levels of `expert`.
_AS_PUBLISHED = {
    "link_loss": 1.0,
    "link_rtt_s": 60.0,
    "emergency_voltage_s": 0.0,
    "emergency_temperature_s": 0.0,
    "calm_voltage_v": 0.0,
    "calm_temperature_c": 0.0,
    "blackout_blacklist_s": 1800.0,
    "step_down_limit": 100,
    "retry_s": 0.0,
    "rekey_reserve": 0,
    "latest_intervals": inf,
    "identity": "",
    "expert": ExpertConfig(
        warm_c=150.0,
        hot_c=150.0,
        charge_low=0.0,
        charge_critical=0.0,
        loss_high=1.0,
        rtt_high_s=10.0,
    ),
    "stable_needs_all": True,
}
STRATEGIES: Mapping[str, Strategy] = {
    "static": Strategy(
        (renewals.fleet, renewals.rekey, guards.safety, steps.nominal),
        guards=(guards.session, guards.cooldown, operator),
    ),
    "telemetry_aware": Strategy(_TELEMETRY_AWARE),
    # Table II of the paper, in its order.
    "paper_2025": Strategy(
        (steps.link, steps.stress, renewals.rekey, steps.upgrade, steps.nominal),
        _AS_PUBLISHED,
        "raspberry_pi_5",
        _published_inputs,
        guards=(guards.safety, guards.emergency, guards.blackout, guards.cooldown),
    ),
    "expert": Strategy((expert.choose, steps.nominal)),
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
    """Return the strategy with every guard, its own rules contained, and `nominal` at the end."""
    unknown = set(strategy.fixed) - {field.name for field in fields(PolicyConfig)}
    if unknown:
        raise ParameterFault(f"The strategy {name} sets {min(unknown)}, which is no parameter.")
    if strategy.profile not in SHIPPED:
        raise ParameterFault(f"The strategy {name} asks for no shipped profile.")
    own = [rule for rule in strategy.wishes if not rule.__module__.startswith(f"{_PACKAGE}.")]
    if not all(callable(rule) and hasattr(rule, "__name__") for rule in own):
        raise ParameterFault(f"The strategy {name} has a rule that is no function.")
    lacking = {what for rule in own for what in (*needs_of(rule).every, *needs_of(rule).one_of)}
    if lacking - set(INPUTS):
        raise ParameterFault(
            f"The strategy {name} needs {min(lacking - set(INPUTS))}, which is no input."
        )
    wishes = tuple(guarded(rule) if rule in own else rule for rule in strategy.wishes)
    last = () if steps.nominal in wishes else (steps.nominal,)
    names = tuple(rule.__name__ for rule in own)
    return replace(strategy, wishes=(*wishes, *last), guards=GUARDS, own_rules=names)
