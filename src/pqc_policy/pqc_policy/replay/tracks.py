# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The tracks of a decision picture: states of a flight as spans, and rekeys as marks over time."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby, pairwise
from typing import TypeVar

from pqc_policy.policy.config import REQUIRED_INPUTS
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.inputs import Session, Verdict, known

_EPOCHS = 256
# In the order of the tracks, each with its fill; rules that are not named here come last.
_RULES = {
    "safety": "ink",
    "emergency": "red",
    "blackout": "purple",
    "link": "orange",
    "attack": "orange",
    "stress": "orange",
    "thermal": "orange",
    "battery": "orange",
    "advisor": "orange",
    "operator": "blue",
    "event": "green",
    "signature": "green",
    "cooldown": "grey",
    "upgrade": "blue",
    "rekey": "green",
    "balanced": "light",
    "nominal": "light",
}
_VERDICTS = {Verdict.CLEAR: "light", Verdict.SUSPICIOUS: "orange", Verdict.ATTACK: "red"}
_CONTENT = {"link": "gap_p95_s", "battery": "voltage_v", "thermal": "temperature_c"}
_NAMES = {"thermal": "temperature"}

T = TypeVar("T", bound=Hashable)


class Mark(Enum):
    """One step of a rekey."""

    ASKED = "asked"
    HELD = "held"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class Span:
    """A state that lasts; times are in s of the decisions' clock."""

    begin_s: float
    end_s: float
    fill: str
    text: str = ""


@dataclass(frozen=True)
class Lane:
    """One track with its name; a note is shown where it is empty."""

    name: str
    spans: tuple[Span, ...] = ()
    marks: tuple[tuple[float, Mark], ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Change:
    """A step of a rekey with the suite that it leads to."""

    t: float
    mark: Mark
    suite: str
    other: bool = True  # another suite than the one in use before
    reason: str = ""  # of a failure


def lanes(decisions: Sequence[Decision], policies: Sequence[Policy]) -> list[Lane]:
    """Return the tracks; each decision has the policy that made it."""
    return [
        _armed(decisions, policies),
        _advisor(decisions, policies),
        *_missing(decisions, policies),
        _spans("strategy", decisions, [d.strategy for d in decisions], {}),
        *_rules(decisions),
        *_rekeys(decisions),
    ]


def changes(decisions: Sequence[Decision]) -> list[Change]:
    """Return every rekey that was asked for, done or failed, in the order of time."""
    found = [
        Change(d.t, Mark.ASKED, d.to_suite, d.to_suite != d.from_suite)
        for d in decisions
        if d.to_suite is not None
    ]
    for before, after in _sessions(decisions):
        new = after[1]
        if failures(new) > failures(before[1]) and new.failure is not None:
            failure = new.failure
            found.append(
                Change(after[0], Mark.FAILED, failure.suite, reason=failure.reason.rstrip("."))
            )
        if new.epoch == (before[1].epoch + 1) % _EPOCHS:
            found.append(Change(after[0], Mark.DONE, new.suite, new.suite != before[1].suite))
    return sorted(found, key=lambda change: change.t)


def new_sessions(decisions: Sequence[Decision]) -> list[float]:
    """Return when keys came into use that no rekey made: one end has restarted."""
    return [
        after[0]
        for before, after in _sessions(decisions)
        if after[1].epoch not in (before[1].epoch, (before[1].epoch + 1) % _EPOCHS)
    ]


def failures(session: Session) -> int:
    """Return the number of failed rekeys so far."""
    return session.failure.count if session.failure is not None else 0


def runs(decisions: Sequence[Decision], values: Sequence[T]) -> Iterator[tuple[T, float, float]]:
    """Yield value, begin and end of every run of equal values; a decision covers a second."""
    timed = zip([d.t for d in decisions], values, strict=True)
    for value, run in groupby(timed, key=lambda entry: entry[1]):
        times_s = [time_s for time_s, _ in run]
        yield value, times_s[0], times_s[-1] + 1.0


def lacks(decision: Decision, name: str, stale_s: float) -> bool:
    """Return whether an input is missing, stale or empty."""
    value = getattr(decision.inputs, name).fresh(stale_s)
    if name in _CONTENT:
        return value is None or known(getattr(value, _CONTENT[name])) is None
    return value is None or (name == "session" and not value.suite)


def _sessions(
    decisions: Sequence[Decision],
) -> Iterator[tuple[tuple[float, Session], tuple[float, Session]]]:
    known_ones = [
        (d.t, session)
        for d in decisions
        if (session := d.inputs.session.value) is not None and session.suite
    ]
    return pairwise(known_ones)


def _spans(
    name: str, decisions: Sequence[Decision], values: Sequence[str], fills: dict[str, str]
) -> Lane:
    """Return a track with a span and its text for every run of a value; none for an empty text."""
    return Lane(
        name,
        tuple(
            Span(begin_s, end_s, fills.get(value, "light"), value)
            for value, begin_s, end_s in runs(decisions, values)
            if value
        ),
    )


def _armed(decisions: Sequence[Decision], policies: Sequence[Policy]) -> Lane:
    texts = {True: "armed", False: "disarmed", None: ""}
    values = [
        texts[d.inputs.armed.fresh(p.config.stale_s)]
        for d, p in zip(decisions, policies, strict=True)
    ]
    return _spans("armed", decisions, values, {"armed": "blue"})


def _advisor(decisions: Sequence[Decision], policies: Sequence[Policy]) -> Lane:
    values = [
        d.inputs.advisor.fresh(p.config.stale_s) or ""
        for d, p in zip(decisions, policies, strict=True)
    ]
    if not any(values):
        return Lane("advisor", note="no verdict received")
    return _spans("advisor", decisions, values, {str(v): fill for v, fill in _VERDICTS.items()})


def _missing(decisions: Sequence[Decision], policies: Sequence[Policy]) -> list[Lane]:
    found = []
    for name in REQUIRED_INPUTS:
        states = [
            ("required" if name in p.config.required_inputs else "not required")
            if lacks(d, name, p.config.stale_s)
            else ""
            for d, p in zip(decisions, policies, strict=True)
        ]
        spans = tuple(
            Span(begin_s, end_s, *(("ink",) if state == "required" else ("grey", state)))
            for state, begin_s, end_s in runs(decisions, states)
            if state
        )
        if spans:
            found.append(Lane(f"missing: {_NAMES.get(name, name)}", spans))
    return found or [Lane("missing", note="nothing")]


def _rules(decisions: Sequence[Decision]) -> Iterator[Lane]:
    decided = {d.rule for d in decisions}
    for rule in [*_RULES, *sorted(decided - _RULES.keys())]:
        if rule in decided:
            fill = _RULES.get(rule, "light")
            spans = tuple(
                Span(begin_s, end_s, fill)
                for one, begin_s, end_s in runs(decisions, [d.rule for d in decisions])
                if one == rule
            )
            yield Lane(f"rule {rule}", spans)


def _rekeys(decisions: Sequence[Decision]) -> Iterator[Lane]:
    steps = changes(decisions)
    kinds = [d.hold_reason.kind if d.hold_reason is not None else "" for d in decisions]
    held = list(runs(decisions, kinds))

    def lane(mark: Mark) -> Lane:
        return Lane(
            f"rekey {mark.value}", marks=tuple((s.t, mark) for s in steps if s.mark is mark)
        )

    yield lane(Mark.ASKED)
    for kind in sorted(set(kinds) - {""}):
        of_kind = [(begin_s, end_s) for one, begin_s, end_s in held if one == kind]
        yield Lane(
            f"held: {kind.replace('_', ' ')}",
            tuple(Span(begin_s, end_s, "red") for begin_s, end_s in of_kind),
            tuple((begin_s, Mark.HELD) for begin_s, _ in of_kind),
        )
    if not any(kinds):
        yield Lane("rekey held")
    yield lane(Mark.DONE)
    yield lane(Mark.FAILED)
