# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Look-alikes in the flights for training: they resemble attacks and are none."""

from __future__ import annotations

import numpy as np
from pqc_sim.physics.air import Air, both

from pqc_learning.data.conditions import SLOT_S, Direction
from pqc_learning.data.plan import Draft, Kind


def usual_handovers(draft: Draft) -> None:
    """Hand over again and again, as a fast vehicle does."""
    now_s = draft.rng.uniform(5.0, draft.link.handover_every_s)
    while now_s < draft.conditions.seconds - 5.0:
        _handover(draft, now_s)
        now_s += draft.link.handover_every_s * draft.rng.uniform(0.5, 1.5)


def handovers(draft: Draft, start_s: float, end_s: float) -> None:
    """Hand over once, or back and forth."""
    now_s = start_s
    while now_s < end_s:
        _handover(draft, now_s)
        now_s += draft.rng.uniform(3.0, 15.0)
    draft.lookalike("handover", start_s, end_s)


def _handover(draft: Draft, start_s: float) -> None:
    """The network keeps the datagrams for a while, or loses them, and has another delay then."""
    flight, rng = draft.conditions, draft.rng
    length_s = rng.uniform(0.05, 1.2)
    keeps = rng.random() < 0.5
    change_s = rng.uniform(-0.3, 0.6)
    span = flight.span(start_s, start_s + length_s)
    after = flight.span(start_s + length_s, flight.seconds)
    for way in (flight.up, flight.down):
        if keeps:
            _wait_until(way, span, start_s + length_s)
        else:
            way.loss[span] = 1.0
        way.delay_s[after] *= 1.0 + change_s if way.delay_s[-1] < 0.15 else 0.7


def _wait_until(way: Direction, span: slice, end_s: float) -> None:
    slots = np.arange(span.start, span.stop)
    way.delay_s[span] += np.maximum(end_s - slots * SLOT_S, 0.0)


def shadows(draft: Draft, start_s: float, end_s: float) -> None:
    """The body of the vehicle comes before the antenna in turns; both directions suffer alike."""
    rng = draft.rng
    now_s = start_s
    while now_s < end_s:
        length_s = rng.uniform(0.5, 3.5)
        air = Air(loss=rng.uniform(0.15, 0.7))
        draft.spells.append(both(now_s, min(now_s + length_s, end_s), air))
        now_s += length_s + rng.uniform(4.0, 20.0)
    draft.lookalike("antenna shadow", start_s, end_s)


def distance(draft: Draft, start_s: float, end_s: float) -> None:
    """The vehicle flies to the edge of the range and back."""
    rng = draft.rng
    worst, pieces = rng.uniform(0.05, 0.3), max(int((end_s - start_s) / 5.0), 2)
    edges_s = np.linspace(start_s, end_s, pieces + 1)
    for turn in range(pieces):
        share = 1.0 - abs(2.0 * (turn + 0.5) / pieces - 1.0)
        air = Air(loss=worst * share**2, burst_every_s=2.0, burst_s=0.1, burst_loss=0.6 * share)
        draft.spells.append(both(edges_s[turn], edges_s[turn + 1], air))
    draft.lookalike("range", start_s, end_s)


def other_rate(draft: Draft, start_s: float, end_s: float) -> None:
    """One end or both send less, or much more, a download for instance."""
    flight, rng = draft.conditions, draft.rng
    factor = rng.uniform(0.03, 0.6) if rng.random() < 0.6 else rng.uniform(2.0, 6.0)
    for way in flight.ways(("up", "down", "both")[rng.integers(3)]):
        way.rate[flight.span(start_s, end_s)] *= factor
    draft.lookalike("other rate", start_s, end_s)


def busy(draft: Draft, start_s: float, end_s: float) -> None:
    flight, rng = draft.conditions, draft.rng
    ours, now_s = rng.random() < 0.6, start_s
    every_s, longest_s = rng.uniform(0.5, 5.0), rng.uniform(0.1, 0.9)
    while now_s < end_s:
        length_s = max(rng.uniform(0.02, longest_s), SLOT_S)
        span = flight.span(now_s, now_s + length_s)
        until_s = span.stop * SLOT_S
        receives, sends = (flight.down, flight.up) if ours else (flight.up, flight.down)
        receives.stall_s[span] = until_s - np.arange(span.start, span.stop) * SLOT_S
        _wait_until(sends, span, until_s)
        now_s += length_s + rng.exponential(every_s)
    draft.lookalike("busy computer", start_s, end_s)


def stray(draft: Draft, start_s: float, end_s: float) -> None:
    """A few datagrams come that nobody meant: a port scan, or leftovers of old keys."""
    flight, rng = draft.conditions, draft.rng
    reason = ("malformed", "unknown", "seq_old", "stale", "foreign")[rng.integers(5)]
    for _ in range(rng.integers(1, 4)):
        at_s = rng.uniform(start_s, end_s)
        flight.drops[reason][flight.span(at_s, at_s + 0.2)] += rng.uniform(1.0, 25.0)
    draft.lookalike("stray datagrams", start_s, end_s)


def outage(draft: Draft, start_s: float, end_s: float) -> None:
    """Let nothing pass for a while: a tunnel, or the ground station starts again."""
    rng = draft.rng
    at_s, length_s = start_s + 0.1, rng.uniform(0.5, 8.0)
    draft.spells.append(both(at_s, min(at_s + length_s, end_s), Air(loss=1.0)))
    draft.lookalike("outage", start_s, end_s)


def full_buffer(draft: Draft, start_s: float, end_s: float) -> None:
    """We send more than the link takes: some finds no room, the rest waits."""
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, end_s)
    flight.unsent[span] += flight.up.rate[span] * rng.uniform(0.02, 0.5)
    flight.up.delay_s[span] += rng.uniform(0.02, 0.4)
    draft.lookalike("full buffer", start_s, end_s)


LOOK_ALIKES = (
    Kind(handovers, 2.0, 40.0),
    Kind(shadows, 5.0, 60.0),
    Kind(distance, 40.0, 150.0),
    Kind(other_rate, 10.0, 90.0),
    Kind(busy, 10.0, 90.0),
    Kind(stray, 2.0, 20.0),
    Kind(outage, 9.0, 12.0),
    Kind(full_buffer, 5.0, 40.0),
)
