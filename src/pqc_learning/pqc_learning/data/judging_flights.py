# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Flights for judging, which no training sees: fading instead of bursts, and other parameters.

The signal-to-noise ratio of a direction is a correlated random walk in dB around a mean; the share
that is lost follows from it. A jammer takes dB away. Senders send in groups, delays have a heavy
tail, and attacks swell, fade and pause.
"""

from __future__ import annotations

import numpy as np

from pqc_learning.data import judging_attacks, judging_lookalikes
from pqc_learning.data.conditions import Conditions, Direction, Slots, slot_count
from pqc_learning.data.fading import Fading, faded
from pqc_learning.data.links import LINKS, Link
from pqc_learning.data.plan import Draft, planned

SECONDS = 720.0
# Share of datagrams lost at the mean SNR of a link, and how much and how fast it varies.
_SPREAD_DB = {"wifi-edge": 4.5, "sik-57600": 2.5, "lte": 2.5, "lte-handover": 3.0}
_USUAL_SPREAD_DB = 1.5


def judging_flight(
    seed: int, number: int, *, attacks: bool, seconds: float = SECONDS
) -> Conditions:
    """Return a flight; with `attacks` about half of its episodes are some."""
    rng = np.random.default_rng((seed, number, 2))
    link = LINKS[number % len(LINKS)]
    draft = Draft(_calm(link, seconds, rng), link, rng)
    fading = tuple(_fading(link, seconds, rng) for _ in range(2))
    draft.fading = {"up": fading[0], "down": fading[1]}
    if link.handover_every_s > 0.0:
        judging_lookalikes.usual_handovers(draft)
    kinds = judging_attacks.ATTACKS if attacks else {}
    for make, start_s, end_s in planned(draft, kinds, judging_lookalikes.LOOK_ALIKES):
        make(draft, start_s, end_s)
    for way, air in zip((draft.conditions.up, draft.conditions.down), fading, strict=True):
        way.loss[:] = 1.0 - (1.0 - way.loss) * (1.0 - air.loss())
    return draft.conditions


def _calm(link: Link, seconds: float, rng: np.random.Generator) -> Conditions:
    slots = slot_count(seconds)
    ways = []
    delay_s = rng.gamma(36.0, np.mean(link.delay_s) / 36.0)
    for rate in link.rates(rng):
        way = Direction.calm(slots, rate * rng.uniform(0.8, 1.1), delay_s, 0.0)
        # The delay wanders, and its tail is heavy.
        wander = faded(slots, rng.uniform(3.0, 15.0), rng)
        way.delay_s *= np.exp(0.12 * wander)
        way.jitter_s[:] = rng.uniform(0.3, 0.8) * link.jitter_s[1]
        way.heavy_tail = True
        way.tick_s = (0.0, 0.01, 0.02, 0.05)[rng.integers(4)]
        way.copies[:] = rng.beta(2.0, 3.0) * link.copies
        way.altered[:] = rng.beta(2.0, 3.0) * link.altered
        way.overtaking[:] = rng.beta(2.0, 3.0) * link.overtaking
        way.mean_bytes = rng.gamma(4.0, 30.0) + 36.0
        ways.append(way)
    return Conditions.calm(link.name, seconds, *ways)


def _fading(link: Link, seconds: float, rng: np.random.Generator) -> Fading:
    usual = max(np.mean(link.loss) + 0.3 * (link.burst_loss > 0.0) * 0.02, 1e-4)
    spread_db = _SPREAD_DB.get(link.name, _USUAL_SPREAD_DB)
    walk: Slots = spread_db * faded(slot_count(seconds), rng.uniform(0.1, 0.6), rng)
    return Fading.around(usual, spread_db, walk)
