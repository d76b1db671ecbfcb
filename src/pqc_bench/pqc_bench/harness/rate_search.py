# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The search for the highest rate that is sustained: up in large steps, then by bisection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pqc_bench.harness.rate_step import (
    GENERATOR,
    Limits,
    Step,
    invalid_because,
    stop_signals,
)


@dataclass(frozen=True)
class Plan:
    """The range and the precision of a search."""

    start: int = 1000  # datagrams per second, each way
    ceiling: int = 200_000
    growth: float = 1.5
    precision: float = 0.05
    attempts: int = 3  # at most, of a rate that was invalid or too much


@dataclass
class Trial:
    """One step and its classification."""

    step: Step
    invalid: str
    signals: list[str]

    def record(self) -> dict[str, Any]:
        return {**self.step.record(), "invalid": self.invalid, "signals": self.signals}


@dataclass
class Outcome:
    sustained: Step | None = None  # at the highest sustained rate
    stopped_by: list[str] = field(default_factory=list)  # at the lowest rate that was too high
    stopped_at: int | None = None
    trials: list[Trial] = field(default_factory=list)
    quiet_p95_ms: float | None = None


Attempt = Callable[[int], Step]


def search(
    attempt: Attempt,
    plan: Plan,
    limits: Limits,
    progress: Callable[[Trial], None] = lambda _: None,
) -> Outcome:
    """Find the sustained rate; `attempt` sends at a rate for a step.

    A rate is too high if most of its valid attempts show it: a busy machine can spoil one.
    If the generator keeps falling behind, the search ends: the signal is
    "generator", and the sustained rate is a lower bound.
    """
    outcome = Outcome()
    rate = min(plan.start, plan.ceiling)
    while True:
        signals = _try(attempt, rate, plan, limits, outcome, progress)
        if signals:
            if outcome.stopped_at is None or rate < outcome.stopped_at:
                outcome.stopped_at, outcome.stopped_by = rate, signals
        else:
            outcome.sustained = outcome.trials[-1].step
        good = outcome.sustained.rate if outcome.sustained else 0
        bad = outcome.stopped_at
        if bad is None:
            if good >= plan.ceiling:
                return outcome
            rate = min(max(round(good * plan.growth), good + 1), plan.ceiling)
        elif good == 0 or bad - good <= max(plan.precision * good, 1):
            return outcome
        else:
            rate = (good + bad) // 2


def _try(
    attempt: Attempt,
    rate: int,
    plan: Plan,
    limits: Limits,
    outcome: Outcome,
    progress: Callable[[Trial], None],
) -> list[str]:
    """Return the signals that a rate is too much; none if it is sustained."""
    bad: list[list[str]] = []
    for _ in range(plan.attempts):
        step = attempt(rate)
        invalid = invalid_because(step)
        quiet_ms = outcome.quiet_p95_ms
        signals = stop_signals(step, step.owd_p95_ms if quiet_ms is None else quiet_ms, limits)
        trial = Trial(step, invalid, signals)
        outcome.trials.append(trial)
        progress(trial)
        if invalid:
            continue
        if not signals:
            if quiet_ms is None:
                outcome.quiet_p95_ms = step.owd_p95_ms
            return []
        bad.append(signals)
        if 2 * len(bad) > plan.attempts:
            break
    return bad[-1] if bad else [GENERATOR]
