# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The conditions of a flight in short slots: what both ends send, and what happens on the way."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from pqc_policy.sensing.traffic.bins import REASONS

from pqc_learning.data.episodes import Episode

SLOT_S = 0.05
Slots = NDArray[np.float64]  # a value for each slot


def slot_count(seconds: float) -> int:
    return round(seconds / SLOT_S)


@dataclass
class Direction:
    """One direction; times in s, shares from 0 to 1."""

    rate: Slots  # datagrams/s sent
    loss: Slots
    delay_s: Slots
    jitter_s: Slots  # scale of what is added to the delay
    held: Slots  # share that somebody withholds ...
    held_s: Slots  # ... for so long
    gather_s: Slots  # all wait for the next multiple of it; 0: none does
    stall_s: Slots  # the receiver reads again so long after the slot's start; 0: it reads
    copies: Slots  # share that arrives twice
    altered: Slots  # share that arrives with wrong bits
    overtaking: Slots  # share that comes behind later ones
    mean_bytes: float = 100.0
    tick_s: float = 0.0  # the sender sends in groups of that period; 0: evenly
    heavy_tail: bool = False  # the jitter has a heavy tail

    @classmethod
    def calm(cls, slots: int, rate: float, delay_s: float, jitter_s: float) -> Direction:
        """Return a direction in which nothing is lost."""

        def full(value: float = 0.0) -> Slots:
            return np.full(slots, value)

        return cls(full(rate), full(), full(delay_s), full(jitter_s), *(full() for _ in range(7)))


@dataclass
class PathSlots:
    """One of several links, as the tunnel's probes see it."""

    name: str
    up: Slots  # 1: the link works
    rtt_s: Slots
    loss: Slots


@dataclass
class Conditions:
    """A flight; `drops` are datagrams/s of strangers that our end drops, by reason."""

    profile: str
    seconds: float
    up: Direction
    down: Direction
    repeats: Slots  # datagrams/s of ours that somebody sends to the peer again
    unsent: Slots  # datagrams/s that find no room
    drops: dict[str, Slots] = field(default_factory=dict)
    paths: tuple[PathSlots, ...] = ()  # empty: a single link, without probes
    episodes: list[Episode] = field(default_factory=list)

    @classmethod
    def calm(cls, profile: str, seconds: float, up: Direction, down: Direction) -> Conditions:
        """Return conditions without strangers."""
        slots = slot_count(seconds)
        drops = {reason: np.zeros(slots) for reason in REASONS}
        return cls(profile, seconds, up, down, np.zeros(slots), np.zeros(slots), drops)

    def ways(self, which: str) -> tuple[Direction, ...]:
        """Return the directions up, down or both."""
        return {"up": (self.up,), "down": (self.down,), "both": (self.up, self.down)}[which]

    def span(self, start_s: float, end_s: float) -> slice:
        return slice(round(start_s / SLOT_S), round(end_s / SLOT_S))
