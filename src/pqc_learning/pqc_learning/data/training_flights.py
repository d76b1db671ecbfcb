# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Flights for training: the radio model of the simulated flights, with sharp spells.

Losses come in bursts of random length (in continuous time what Gilbert-Elliott is in datagrams),
attacks and look-alikes begin and end at once. judging_flights.py has another model.
"""

from __future__ import annotations

from random import Random

import numpy as np
from pqc_sim.physics.air import Air, RadioPath

from pqc_learning.data import training_attacks, training_lookalikes
from pqc_learning.data.conditions import SLOT_S, Conditions, Direction, PathSlots, slot_count
from pqc_learning.data.links import LINKS, Link
from pqc_learning.data.plan import Draft, planned

SECONDS = 600.0


def training_flight(
    seed: int, number: int, *, attacks: bool, seconds: float = SECONDS
) -> Conditions:
    """Return a flight; with `attacks` about half of its episodes are some."""
    rng = np.random.default_rng((seed, number, 1))
    link = LINKS[number % len(LINKS)]
    draft = Draft(_calm(link, seconds, rng), link, rng)
    if link.handover_every_s > 0.0:
        training_lookalikes.usual_handovers(draft)
    if not link.thin and rng.random() < 0.15:
        _second_link(draft)
    kinds = training_attacks.ATTACKS if attacks else {}
    for make, start_s, end_s in planned(draft, kinds, training_lookalikes.LOOK_ALIKES):
        make(draft, start_s, end_s)
    _weather(draft, rng)
    return draft.conditions


def _calm(link: Link, seconds: float, rng: np.random.Generator) -> Conditions:
    slots = slot_count(seconds)
    ways = []
    delay_s = rng.uniform(0.6 * link.delay_s[0], 1.5 * link.delay_s[1])
    for rate in link.rates(rng):
        jitter_s = rng.uniform(0.5, 2.5) * rng.uniform(*link.jitter_s)
        way = Direction.calm(slots, rate, delay_s, jitter_s)
        _other_routes(way, rng)
        if rng.random() < 0.6:
            way.tick_s = rng.uniform(0.004, 0.08)
        way.copies[:] = rng.uniform(0.0, link.copies)
        way.altered[:] = rng.uniform(0.0, link.altered)
        way.overtaking[:] = rng.uniform(0.0, link.overtaking)
        way.mean_bytes = rng.uniform(50.0, 280.0)
        ways.append(way)
    return Conditions.calm(link.name, seconds, *ways)


def _other_routes(way: Direction, rng: np.random.Generator) -> None:
    """Change the delay by steps, as another route or another load on the way does."""
    if rng.random() < 0.4:
        return
    at, most = 0, rng.uniform(0.05, 0.4)
    while at < len(way.delay_s):
        until = at + int(rng.exponential(rng.uniform(3.0, 60.0)) / SLOT_S) + 1
        way.delay_s[at:until] *= 1.0 + rng.uniform(-most, most)
        at = until


def _second_link(draft: Draft) -> None:
    """Add a slower link that takes over while the first is cut."""
    flight, rng = draft.conditions, draft.rng
    slots = len(flight.up.rate)
    works, loss = np.ones(slots), np.full(slots, 0.01)
    extra_s = rng.uniform(0.02, 0.25)
    start_s = rng.uniform(0.2, 0.7) * flight.seconds
    end_s = start_s + rng.uniform(20.0, 90.0)
    cut = flight.span(start_s, end_s)
    works[cut] = 0.0
    loss[cut] = 1.0
    for way in (flight.up, flight.down):
        way.delay_s[cut] += extra_s
        way.rate[cut] *= rng.uniform(0.2, 1.0)
        found_s = rng.uniform(0.2, 1.5)
        way.loss[flight.span(start_s, start_s + found_s)] = 1.0
    rtt_s = np.full(slots, 2.0 * flight.up.delay_s[0])
    other_s = rtt_s + 2.0 * extra_s
    flight.paths = (
        PathSlots("first", works, rtt_s, loss),
        PathSlots("second", np.ones(slots), other_s, np.full(slots, 0.01)),
    )
    draft.lookalike("second link", start_s, end_s)


def _weather(draft: Draft, rng: np.random.Generator) -> None:
    """Draw the losses of both directions, spells of the episodes included."""
    flight, link = draft.conditions, draft.link
    usual = Air(
        loss=rng.uniform(*link.loss),
        burst_every_s=rng.uniform(*link.burst_every_s),
        burst_s=max(link.burst_s, 0.01),
        burst_loss=link.burst_loss,
    )
    for name, way in (("up", flight.up), ("down", flight.down)):
        path = RadioPath(name, usual, tuple(draft.spells), Random(int(rng.integers(2**60))))
        path_loss = np.empty(len(way.loss))
        for slot in range(len(way.loss)):
            path.step(slot * SLOT_S)
            path_loss[slot] = path.loss_at(slot * SLOT_S)
        way.loss[:] = 1.0 - (1.0 - way.loss) * (1.0 - path_loss)
