# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Look-alikes in the flights for judging: they resemble attacks and are none."""

from __future__ import annotations

import numpy as np

from pqc_learning.data.conditions import SLOT_S
from pqc_learning.data.plan import Draft, Kind


def usual_handovers(draft: Draft) -> None:
    """Hand over again and again, as a fast vehicle does."""
    now_s = draft.rng.uniform(8.0, 16.0)
    while now_s < draft.conditions.seconds - 5.0:
        _handover(draft, now_s)
        now_s += draft.rng.gamma(6.0, draft.link.handover_every_s / 6.0)


def handovers(draft: Draft, start_s: float, end_s: float) -> None:
    now_s = start_s
    while now_s < end_s:
        _handover(draft, now_s)
        now_s += draft.rng.gamma(3.0, 4.0)
    draft.lookalike("handover", start_s, end_s)


def _handover(draft: Draft, start_s: float) -> None:
    """Some is lost, the rest waits, and what waited comes at once."""
    flight, rng = draft.conditions, draft.rng
    length_s = min(rng.gamma(3.0, 0.15), 1.5)
    span = flight.span(start_s, start_s + length_s)
    slots = np.arange(span.start, span.stop)
    lost = rng.beta(0.7, 0.7)
    for way in (flight.up, flight.down):
        way.loss[span] = 1.0 - (1.0 - way.loss[span]) * (1.0 - lost)
        way.delay_s[span] += np.maximum(start_s + length_s - slots * SLOT_S, 0.0)


def shadows(draft: Draft, start_s: float, end_s: float) -> None:
    """The body of the vehicle comes before the antenna: smooth fades, alike in both directions."""
    rng = draft.rng
    span = draft.conditions.span(start_s, end_s)
    at_s = np.arange(span.stop - span.start) * SLOT_S
    depth, every_s = rng.uniform(0.15, 0.65), rng.uniform(8.0, 30.0)
    width_s = rng.uniform(0.5, 1.8)
    from_middle_s = np.abs((at_s + rng.uniform(0.0, every_s)) % every_s - every_s / 2.0)
    level = depth * np.exp(-((from_middle_s / width_s) ** 2))
    for fading in draft.fading.values():
        fading.set_loss(span, level)
    draft.lookalike("antenna shadow", start_s, end_s)


def distance(draft: Draft, start_s: float, end_s: float) -> None:
    """The vehicle flies to the edge of the range and back."""
    rng = draft.rng
    span = draft.conditions.span(start_s, end_s)
    worst = rng.uniform(0.04, 0.28)
    level = worst * np.sin(np.linspace(0.0, np.pi, span.stop - span.start)) ** 2
    for fading in draft.fading.values():
        fading.set_loss(span, level)
    draft.lookalike("range", start_s, end_s)


def other_rate(draft: Draft, start_s: float, end_s: float) -> None:
    """The vehicle sends less and less, then as before; or an end sends much more."""
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, end_s)
    if rng.random() < 0.7:
        factor = np.linspace(1.0, rng.uniform(0.05, 0.5), span.stop - span.start)
    else:
        factor = np.full(span.stop - span.start, rng.uniform(1.5, 5.0))
    for way in flight.ways(("up", "down", "both")[rng.integers(3)]):
        way.rate[span] *= factor
    draft.lookalike("other rate", start_s, end_s)


def busy(draft: Draft, start_s: float, end_s: float) -> None:
    """A computer stalls for lognormal times."""
    flight, rng = draft.conditions, draft.rng
    ours, now_s = rng.random() < 0.6, start_s
    median_s, every_s = rng.uniform(0.05, 0.35), rng.uniform(0.8, 4.0)
    while now_s < end_s:
        length_s = float(np.clip(median_s * np.exp(0.5 * rng.standard_normal()), SLOT_S, 0.95))
        span = flight.span(now_s, now_s + length_s)
        until_s = span.stop * SLOT_S
        left_s = until_s - np.arange(span.start, span.stop) * SLOT_S
        receives, sends = (flight.down, flight.up) if ours else (flight.up, flight.down)
        receives.stall_s[span] = left_s
        sends.delay_s[span] += left_s
        now_s += length_s + rng.gamma(2.0, every_s / 2.0)
    draft.lookalike("busy computer", start_s, end_s)


def stray(draft: Draft, start_s: float, end_s: float) -> None:
    """A few datagrams come that nobody meant."""
    flight, rng = draft.conditions, draft.rng
    for _ in range(rng.poisson(1.0) + 1):
        reason = ("malformed", "unknown", "seq_old", "stale", "foreign")[rng.integers(5)]
        at_s = rng.uniform(start_s, end_s)
        flight.drops[reason][flight.span(at_s, at_s + 0.1)] += rng.gamma(2.0, 12.0)
    draft.lookalike("stray datagrams", start_s, end_s)


def outage(draft: Draft, start_s: float, end_s: float) -> None:
    """Let nothing pass for a while."""
    flight, rng = draft.conditions, draft.rng
    span = flight.span(start_s, start_s + min(0.5 + rng.gamma(2.0, 1.5), end_s - start_s))
    for way in (flight.up, flight.down):
        way.loss[span] = 1.0
    draft.lookalike("outage", start_s, end_s)


LOOK_ALIKES = (
    Kind(handovers, 5.0, 50.0),
    Kind(shadows, 15.0, 70.0),
    Kind(distance, 60.0, 180.0),
    Kind(other_rate, 15.0, 80.0),
    Kind(busy, 15.0, 80.0),
    Kind(stray, 5.0, 30.0),
    Kind(outage, 10.0, 15.0),
)
