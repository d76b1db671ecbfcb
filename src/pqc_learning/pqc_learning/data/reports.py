# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The peer's reports of what it receives, and the round trips, as both ends exchange them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from pqc_learning.data.conditions import SLOT_S, Conditions, Direction

_TICK_S = 0.125
_USUAL_TICKS = 4  # between two reports; while no answer comes, each tick has one
_PATIENCE_S = 1.5
_SMOOTHING = 1.0 / 8.0


@dataclass(frozen=True)
class Reports:
    """The peer's reports that reached us, in the order of their arrival, and our round trips."""

    made_s: tuple[float, ...]
    arrival_s: tuple[float, ...]
    answered_s: tuple[float, ...]
    rtt_s: tuple[float, ...]  # smoothed, after each answer

    def newest(self, now_s: float) -> tuple[float, float] | None:
        """Return when the newest report was made and when it arrived, in s; None before one."""
        count = bisect_right(self.arrival_s, now_s)
        return (self.made_s[count - 1], self.arrival_s[count - 1]) if count else None

    def round_trip(self, now_s: float) -> float | None:
        """Return the smoothed round trip in s; None before the first answer."""
        count = bisect_right(self.answered_s, now_s)
        return self.rtt_s[count - 1] if count else None


def exchange(conditions: Conditions, rng: np.random.Generator) -> Reports:
    ticks = int(conditions.seconds / _TICK_S)
    at_s = np.arange(ticks) * _TICK_S + rng.uniform(0.0, _TICK_S)
    to_peer = _crossing(conditions.up, at_s, rng)
    to_us = _crossing(conditions.down, at_s, rng)
    back_to_us = _crossing(conditions.down, at_s, rng)
    back_to_peer = _crossing(conditions.up, at_s, rng)
    reports = []
    for made_s, arrival_s in _sent(at_s, to_us + back_to_peer, to_us):
        if np.isfinite(arrival_s):
            reports.append((made_s + arrival_s, made_s))
    reports.sort()
    newest_s, kept = -1.0, []
    for arrival_s, made_s in reports:
        if made_s > newest_s:
            newest_s = made_s
            kept.append((arrival_s, made_s))
    rtt_s, answers = None, []
    round_trip_s = to_peer + back_to_us
    for made_s, took_s in _sent(at_s, round_trip_s, round_trip_s):
        if np.isfinite(took_s):
            rtt_s = took_s if rtt_s is None else rtt_s + _SMOOTHING * (took_s - rtt_s)
            answers.append((made_s + took_s, rtt_s))
    answers.sort()
    return Reports(
        tuple(made_s for _, made_s in kept),
        tuple(arrival_s for arrival_s, _ in kept),
        tuple(answered_s for answered_s, _ in answers),
        tuple(value_s for _, value_s in answers),
    )


def _crossing(way: Direction, at_s: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return how long a datagram sent at each time takes in s; infinite if it is lost."""
    slot = np.minimum((at_s / SLOT_S).astype(np.int64), len(way.rate) - 1)
    count = len(at_s)
    took_s = way.delay_s[slot] + way.jitter_s[slot] * np.abs(rng.standard_normal(count))
    took_s += np.where(rng.random(count) < way.held[slot], way.held_s[slot], 0.0)
    gather_s = way.gather_s[slot]
    gathered = gather_s > 0.0
    until_s = np.ceil((at_s + took_s)[gathered] / gather_s[gathered]) * gather_s[gathered]
    took_s[gathered] = until_s - at_s[gathered]
    arrives = np.minimum(((at_s + took_s) / SLOT_S).astype(np.int64), len(way.rate) - 1)
    wait_s = np.maximum(arrives * SLOT_S + way.stall_s[arrives] - at_s - took_s, 0.0)
    took_s += np.where(way.stall_s[arrives] > 0.0, wait_s, 0.0)
    lost = rng.random(count) < 1.0 - (1.0 - way.loss[slot]) * (1.0 - way.altered[slot])
    return np.where(lost | (took_s > 5.0), np.inf, took_s)


def _sent(at_s: np.ndarray, answer_s: np.ndarray, result: np.ndarray) -> list[tuple[float, float]]:
    """Return the time and the result of each tick at which something is sent."""
    sent, due, answered_s = [], 0, 0.0
    coming: list[float] = []
    for tick, (now_s, took_s, value) in enumerate(
        zip(at_s.tolist(), answer_s.tolist(), result.tolist(), strict=True)
    ):
        while coming and coming[0] <= now_s:
            answered_s = coming.pop(0)
        if tick < due and now_s < answered_s + _PATIENCE_S:
            continue
        due = tick + _USUAL_TICKS
        sent.append((now_s, value))
        if took_s < np.inf:
            coming.append(now_s + took_s)
    return sent
