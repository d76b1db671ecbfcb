# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tells in words what the next decisions depend on."""

from __future__ import annotations

from collections.abc import Iterator

from pqc_policy.policy.decision import Decision
from pqc_policy.policy.inputs import INPUTS
from pqc_policy.policy.rules.guards import SAFETY
from pqc_policy.policy.rules.renewals import (
    due_s,
    event,
    interval_s,
    overdue,
    phase_wait_left_s,
)
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.strategies.registry import Strategy
from pqc_policy.policy.suites import find_suite
from pqc_policy.policy.wording import listed


def outlook(s: Situation, decision: Decision, strategy: Strategy) -> str:
    """Return what the next decisions depend on, as parts joined by semicolons."""
    if decision.rule == SAFETY and s.current is None:
        return _what_safety_needs(s)
    intervals = s.config.latest_intervals if overdue in strategy.rules else 1.0
    stepwise = [*_renewal(s, intervals, strategy)]
    if strategy.steps:
        stepwise = [*_conditions(s), *stepwise]
    if strategy.own_rules:
        stepwise.append(f"{listed(strategy.own_rules)} may choose otherwise in each second")
    elif strategy.steps:
        stepwise += _upgrade(s)
    degraded = [_what_safety_needs(s)] if s.missing else []
    parts = [*_waits(s), *degraded, *stepwise]
    return "; ".join(parts) or "the policy keeps this suite until an input crosses its threshold"


def _what_safety_needs(s: Situation) -> str:
    needed = [
        f"a new {INPUTS[name].noun}" for name in s.missing if name != "session" or s.session is None
    ]
    if not needed and s.current is None:
        needed = ["a session"]
    return f"every rule acts again after {', '.join(needed)}"


def _waits(s: Situation) -> Iterator[str]:
    pending = s.state.pending
    if pending is not None:
        left_s = pending.since_s + s.config.pending_s - s.now_s
        yield f"the policy waits for the rekey to {pending.target}, for at most {left_s:.0f} s more"
    elif s.session is not None and s.session.rekeying:
        yield "the policy waits for the end of the rekey that is under way"
    since_s = s.lasted_s(s.state.switched_at_s)
    if since_s is not None and since_s < s.config.cooldown_s:
        yield f"no other switch for {s.config.cooldown_s - since_s:.0f} s, except in an emergency"


def _conditions(s: Situation) -> Iterator[str]:
    """Yield the conditions that last, but not long enough yet."""
    for what, since_s in (
        ("the link stays bad", s.state.link_bad_since_s),
        ("the attack lasts", s.state.attack_since_s),
        ("the stress lasts", s.state.stress_since_s),
    ):
        lasted_s = s.lasted_s(since_s)
        if lasted_s is not None and lasted_s < s.config.persistence_s:
            yield f"one step down if {what} for {s.config.persistence_s - lasted_s:.0f} s more"


def _renewal(s: Situation, intervals: float, strategy: Strategy) -> Iterator[str]:
    if s.current is None:
        return
    every_s = interval_s(s.config, s.current)
    if every_s is None:
        by_events = event in strategy.rules or strategy.excludes
        how = "are renewed after events only" if by_events else "are not renewed by the policy"
        yield f"keys of the family {s.current.family} {how}"
        return
    at_s = due_s(s, intervals)
    if at_s is None:
        keys_s = s.lasted_s(s.state.keys_since_s) or 0.0
        late = keys_s > s.config.latest_intervals * every_s
        calm_s = s.config.persistence_s if late else intervals * every_s
        yield f"fresh keys after {calm_s:g} s without a reason to act"
    elif s.now_s <= at_s:
        yield f"fresh keys in {at_s - s.now_s + 1:.0f} s if nothing else happens"
    elif (left_s := phase_wait_left_s(s, at_s)) >= 0.0:
        yield f"fresh keys in another phase, or in {left_s + 1:.0f} s"


def _upgrade(s: Situation) -> Iterator[str]:
    ceiling = find_suite(s.config.ceiling)
    if s.current is None or ceiling is None:
        return
    if s.order.up(s.current, ceiling, s.barred) is None:
        return
    if not s.disarmed:
        yield "one step up only while disarmed"
        return
    calm_s = s.since_switch_s(s.state.calm_since_s)
    wait_s = s.config.upgrade_stable_s - (calm_s or 0.0)
    if calm_s is None or wait_s > 0:
        yield f"one step up after {wait_s:.0f} s more of calm on the ground"
