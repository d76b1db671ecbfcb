# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The radio path between the ends: delay, single losses, bursts of losses, outages."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Air:
    """The conditions in one direction; losses are shares from 0 to 1."""

    loss: float = 0.0  # share lost outside of bursts
    burst_every_s: float = 0.0  # mean time between bursts; 0: none
    burst_s: float = 0.15  # mean length
    burst_loss: float = 0.85
    delay_s: float = 0.012
    jitter_s: float = 0.002
    out_every_s: float = 0.0  # period of outages, from the start of the spell; 0: none
    out_s: float = 0.0  # length of each, at the end of its period


CLEAN = Air(loss=0.001)


@dataclass(frozen=True)
class Spell:
    """A period with other conditions up to the ground, or down; None: as usual."""

    start_s: float
    end_s: float
    up: Air | None = None
    down: Air | None = None


def both(start_s: float, end_s: float, air: Air) -> Spell:
    """Return a period of the same conditions in both directions."""
    return Spell(start_s, end_s, air, air)


class RadioPath:
    """One direction; decides whether and when a datagram arrives."""

    def __init__(
        self, direction: str, usual: Air, spells: tuple[Spell, ...], chance: Random
    ) -> None:
        self._usual = usual
        self._spells = tuple(
            (spell.start_s, spell.end_s, air)
            for spell in spells
            if (air := getattr(spell, direction)) is not None
        )
        self._chance = chance
        self._air = usual
        self._since_s = 0.0
        self._burst_until_s = -1.0
        self._next_burst_s: float | None = None

    def step(self, now_s: float) -> None:
        """Move to a time; call it before `delivered`."""
        air, since_s = self._usual, 0.0
        for start_s, end_s, other in self._spells:
            if start_s <= now_s < end_s:
                air, since_s = other, start_s
        if air is not self._air:
            self._air, self._since_s, self._next_burst_s = air, since_s, None
        if air.burst_every_s <= 0.0:
            self._burst_until_s = -1.0
            return
        if self._next_burst_s is None:
            self._next_burst_s = now_s + self._chance.expovariate(1.0 / air.burst_every_s)
        if now_s >= self._next_burst_s:
            self._burst_until_s = now_s + self._chance.expovariate(1.0 / air.burst_s)
            wait_s = self._chance.expovariate(1.0 / air.burst_every_s)
            self._next_burst_s = self._burst_until_s + wait_s

    @property
    def air(self) -> Air:
        """The conditions at the time of the latest step."""
        return self._air

    def is_out(self, now_s: float) -> bool:
        """Return whether every datagram is lost."""
        air = self._air
        if air.loss >= 1.0:
            return True
        if air.out_every_s <= 0.0:
            return False
        return (now_s - self._since_s) % air.out_every_s >= air.out_every_s - air.out_s

    def loss_at(self, now_s: float) -> float:
        """Return the share of the datagrams sent now that is lost, 0 to 1."""
        if self.is_out(now_s):
            return 1.0
        return self._air.burst_loss if now_s < self._burst_until_s else self._air.loss

    def delivered(self, now_s: float) -> float | None:
        """Return the delay in s of a datagram sent now; None if it is lost."""
        air = self._air
        if self.is_out(now_s):
            return None
        if self._chance.random() < self.loss_at(now_s):
            return None
        return air.delay_s + abs(self._chance.gauss(0.0, air.jitter_s))
