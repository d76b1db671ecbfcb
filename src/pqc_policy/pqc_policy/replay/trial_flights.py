# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Flies a policy through everything that its inputs can show, to see which of its rules act.

Nothing here knows a threshold: each trial brings inputs to an end of their range, and what a rule
does with the given parameters is compared with what it does with the defaults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pqc_policy.policy.config import REQUIRED_INPUTS, PolicyConfig
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.inputs import (
    Battery,
    Computer,
    DecisionInput,
    Held,
    Link,
    Phase,
    Reading,
    Session,
    Thermal,
    Verdict,
)
from pqc_policy.policy.responses import RESPONSES
from pqc_policy.policy.state import PolicyState
from pqc_policy.policy.suites import SUITES, Suite, find_suite
from pqc_policy.policy.tunnel_floor import TunnelFloor
from pqc_policy.replay.obedient_session import ObedientTunnel

_DAY_S = 86400.0  # of calm before some trials, so that what has to last has lasted
_LINK, _BATTERY, _THERMAL = Link(0.02, loss=0.0, rtt_s=0.02), Battery(16.0, 0.0, 0.9), Thermal(50.0)
_CALM: Mapping[str, Any] = {
    "link": _LINK,
    "battery": _BATTERY,
    "thermal": _THERMAL,
    "armed": True,
    "advisor": Verdict.CLEAR,
    "computer": Computer(0.1, 0.1),
    "power_w": 1.0,
}
_SILENT = {"link": replace(_LINK, gap_p95_s=5.0)}
_HOT = {"thermal": replace(_THERMAL, temperature_c=149.0)}


@dataclass(frozen=True)
class _Trial:
    """Changed inputs, after a calm second and after others; both last until conditions count."""

    inputs: Mapping[str, Any]
    before: Mapping[str, Any] | None = None
    blackouts: bool = False  # one in each second
    aged: bool = False  # keys that are old, after a long calm


_TRIALS = (
    *(
        _Trial(change)
        for change in (
            _HOT,
            {"thermal": replace(_THERMAL, rate_c_per_min=99.0)},
            {"battery": replace(_BATTERY, voltage_v=0.01)},
            {"battery": replace(_BATTERY, rate_mv_per_min=-99_000.0)},
            {"battery": replace(_BATTERY, charge=0.0, endurance_s=0.0)},
            {"computer": Computer(1.0, 1.0, throttled=True), "power_w": 1000.0},
            _SILENT,
            {"link": replace(_LINK, loss=1.0)},
            {"link": replace(_LINK, rtt_s=60.0)},
            {"warned": True},
            {"held": True},
            {"link": None},
            {"session": None},
            *(
                {"advisor": Verdict.ATTACK, "attack_class": name}
                for name in ("unknown", *RESPONSES)
            ),
        )
    ),
    _Trial({}, aged=True),
    _Trial({"armed": False}, aged=True),
    _Trial({"armed": False, "phase": Phase.ON_GROUND}, before={"phase": Phase.LANDING}),
    *(_Trial({}, before=before, blackouts=True) for before in (_HOT, _SILENT)),
)


@dataclass(frozen=True, order=True)
class Act:
    """What a rule does: it asks for a rekey, or it decides to hold."""

    rule: str
    asks: bool


def silent_rules(policy: Policy, tunnel: TunnelFloor | None = None) -> list[str]:
    """Return the rules that ask for nothing in any trial, but do with the default parameters.

    Rules that can only hold count as silent where they do not even that. `tunnel` is what the
    parameters of the tunnel leave: its suites and the first of them.
    """
    strategy = policy.strategy if policy.strategy.own_rules else None
    usual = _acts(Policy(PolicyConfig(strategy=policy.config.strategy), strategy=strategy), None)
    missing = usual - _acts(policy, tunnel)
    asking = {act.rule for act in usual if act.asks}
    return sorted({act.rule for act in missing if act.asks or act.rule not in asking})


def _acts(policy: Policy, tunnel: TunnelFloor | None) -> set[Act]:
    return {
        Act(decision.rule, decision.to_suite is not None)
        for start in _starts(policy, tunnel)
        for trial in _TRIALS
        for decision in _flown(policy, tunnel, start, trial)
    }


def _starts(policy: Policy, tunnel: TunnelFloor | None) -> list[Suite]:
    """Return the suites that a flight may have from its first handshake."""
    if tunnel is not None and tunnel.start is not None:
        return [tunnel.start]
    usable = policy.order.usable
    ceiling = find_suite(policy.config.ceiling)
    costly = [suite for suite in usable if policy.order.costly(suite)]
    families = {suite.family: suite for suite in usable}
    several = [usable[0], *([ceiling] if ceiling is not None else []), *families.values()]
    return list(dict.fromkeys([*several, *costly[:1], *costly[-1:]]))


def _flown(
    policy: Policy, tunnel: TunnelFloor | None, start: Suite, trial: _Trial
) -> Iterator[Decision]:
    config, follower = policy.config, ObedientTunnel()
    unusable = [suite.id for suite in SUITES if tunnel is not None and not tunnel.allows(suite)]
    age_s = _DAY_S if trial.aged else 0.0
    session = Session(start.id, 1, age_s, blacklisted=frozenset(unusable))
    sensed = {*config.required_inputs, *(name for name in _CALM if name not in REQUIRED_INPUTS)}
    counts_s = int(config.persistence_s) + 3
    lasting_s = int(max(counts_s, config.rekey_stagger_s, config.cooldown_s)) + 5
    parts = ((1, {}), (counts_s if trial.before else 0, trial.before or {}))
    now_s, blackouts = _DAY_S, 0
    state = _after_a_day(start) if trial.aged else PolicyState()
    for seconds, part in (*parts, (lasting_s, trial.inputs)):
        for _ in range(seconds):
            now_s, blackouts = now_s + 1.0, blackouts + trial.blackouts
            values = {"session": session, **_CALM, **part}
            link = values["link"]
            values["link"] = link and replace(link, blackouts=blackouts)
            held = values.pop("held", False) and Held(start.id, now_s + 9.0)
            known = {
                name: Reading(value)
                for name, value in values.items()
                if value is not None and (name in sensed or name not in REQUIRED_INPUTS)
            }
            inputs = DecisionInput(now_s, held=held or None, **known)
            decision, state = policy.decide(state, follower.seen(inputs))
            follower.carry_out(decision)
            yield decision


def _after_a_day(start: Suite) -> PolicyState:
    return PolicyState(
        now_s=_DAY_S,
        suite=start.id,
        epoch=1,
        keys_since_s=0.0,
        stable_since_s=0.0,
        quiet_since_s=0.0,
        calm_since_s=0.0,
        blackouts_seen=0,
        blackouts_at_switch=0,
        failures_seen=0,
        ratchets_seen=0,
    )
