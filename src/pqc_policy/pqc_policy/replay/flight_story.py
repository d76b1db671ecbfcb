# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The moments of a flight that need an explanation, with their reasons, for its picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pqc_policy.policy.decision import UNDER_WAY, Action, Decision
from pqc_policy.replay.decision_table import short
from pqc_policy.replay.tracks import Mark, changes, new_sessions, runs

_SHORTEST_HOLD_S = 3.0


@dataclass(frozen=True)
class Moment:
    """One moment; repetitions of the same hold have no moments of their own."""

    t: float
    text: str


def story(decisions: Sequence[Decision]) -> list[Moment]:
    """Return the changes of suite and strategy, failed rekeys, new sessions and holds, by time."""
    found = [
        Moment(
            d.t, f"{d.action} by {d.rule}: {short(d.from_suite)} → {short(d.to_suite)}. {d.reason}"
        )
        for d in decisions
        if d.to_suite not in (None, d.from_suite)
    ]
    found += [
        Moment(step.t, f"The rekey to {short(step.suite)} failed: {step.reason}.")
        for step in changes(decisions)
        if step.mark is Mark.FAILED
    ]
    found += [Moment(t, "A new session: one end has restarted.") for t in new_sessions(decisions)]
    strategies = list(runs(decisions, [d.strategy for d in decisions]))
    found += [Moment(begin_s, f"Strategy {name}.") for name, begin_s, _ in strategies[1:]]
    return sorted([*found, *_holds(decisions)], key=lambda moment: moment.t)


def routine(decisions: Sequence[Decision]) -> str:
    """Return how often keys were renewed in the same suite; empty for never."""
    count = sum(d.action is Action.REKEY for d in decisions)
    return f"Besides, {count} × fresh keys requested for the same suite." if count else ""


def _holds(decisions: Sequence[Decision]) -> list[Moment]:
    """Return the holds by safety, and the first of each kind of held rekeys with their number."""
    reasons = {d.t: d.reason for d in decisions}
    kinds = [
        ("safety", "")
        if d.rule == "safety"
        else (d.rule, d.hold_reason.kind)
        if d.hold_reason is not None and d.hold_reason.kind != UNDER_WAY
        else ("", "")
        for d in decisions
    ]
    lasting = [
        (kind, begin_s, end_s)
        for kind, begin_s, end_s in runs(decisions, kinds)
        if kind[0] and end_s - begin_s >= _SHORTEST_HOLD_S
    ]
    held = Counter(kind for kind, _, _ in lasting if kind[1])
    moments, seen = [], set()
    for kind, begin_s, end_s in lasting:
        text = f"HOLD by {kind[0]} for {end_s - begin_s:.0f} s: {reasons[begin_s]}"
        if kind[1]:
            if kind in seen:
                continue
            seen.add(kind)
            if held[kind] > 1:
                text += f" This repeats {held[kind] - 1} ×."
        moments.append(Moment(begin_s, text))
    return moments
