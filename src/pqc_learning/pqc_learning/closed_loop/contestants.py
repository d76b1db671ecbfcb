# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The compared strategies: static suites, and those of the policy as they are shipped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pqc_policy.parameters import from_values
from pqc_policy.policy.config import STRATEGY_NAMES, PolicyConfig
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.protection import ONE_TIME
from pqc_policy.policy.strategies.strategy import Strategy
from pqc_policy.policy.suites import DEFAULT_SUITE

from pqc_learning.closed_loop.cost_set import CostSet
from pqc_learning.closed_loop.rotating import ROTATE

_LIGHT = {1: "cs-mlkem512-aesgcm-mldsa44", 3: DEFAULT_SUITE}
_HEAVY = "cs-classicmceliece460896-aesgcm-sphincs192s"
STATIC, LAYERED = "static", "layered"
UNANCHORED, ROTATING = "version_0_2", "rotate"
BASELINE_NAMES = ("static_light", "static_default", "static_heavy", UNANCHORED, ROTATING)


@dataclass(frozen=True)
class Contestant:
    """A strategy, its first suite, and what differs from the shipped parameters."""

    name: str
    strategy: str
    suites: Mapping[int, str]  # by the floor of the tunnel
    parameters: Mapping[str, Any] = field(default_factory=dict)
    made: Strategy | None = None  # replaces the shipped one of that name
    anchor: str = ONE_TIME  # kind of key that sessions begin with; empty: none
    keeps_data: bool = False  # whether it makes no sense with a program that stops the data
    _policies: dict[str, Policy] = field(default_factory=dict, init=False, repr=False)

    def suite(self, costs: CostSet) -> str:
        return self.suites[costs.min_level]

    def policy(self, costs: CostSet) -> Policy:
        if costs.name not in self._policies:
            values = {"strategy": self.strategy, **self.parameters}
            config = from_values(PolicyConfig, values)
            self._policies[costs.name] = Policy(config, costs.profile, strategy=self.made)
        return self._policies[costs.name]


@cache
def contestants() -> dict[str, Contestant]:
    """Return all by name: the baselines, and each other strategy.

    static_heavy renews its keys each minute on the ground and in hover, whatever that interrupts;
    version_0_2 is static_default without an anchor, rotate the layers of `layered` on a timer.
    """
    default = {1: DEFAULT_SUITE, 3: DEFAULT_SUITE}
    # They keep their suite in an emergency, too: they are what the others are compared with.
    stays = {"emergency_voltage_v": 0.0, "emergency_temperature_c": 150.0}
    heavy = {**stays, "rekey_interval_s.mceliece": 60.0, "max_interruption_s": 60.0}
    static = (
        Contestant("static_light", STATIC, _LIGHT, stays),
        Contestant("static_default", STATIC, default, stays),
        Contestant("static_heavy", STATIC, {1: _HEAVY, 3: _HEAVY}, heavy),
        Contestant(UNANCHORED, STATIC, default, stays, anchor="", keeps_data=True),
        Contestant(ROTATING, LAYERED, default, made=ROTATE, keeps_data=True),
    )
    adaptive = (
        Contestant(name, name, default, keeps_data=name == LAYERED)
        for name in STRATEGY_NAMES
        if name != STATIC
    )
    return {one.name: one for one in (*static, *adaptive)}
