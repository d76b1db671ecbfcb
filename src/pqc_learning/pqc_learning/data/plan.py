# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Places attacks and look-alikes in a flight one after the other, with calm between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from pqc_sim.physics.air import Spell

from pqc_learning.data.conditions import Conditions
from pqc_learning.data.episodes import NORMAL, Episode
from pqc_learning.data.fading import Fading
from pqc_learning.data.links import Link

_FIRST_S = 25.0
_LAST_S = 15.0


@dataclass
class Draft:
    """A flight in the making."""

    conditions: Conditions
    link: Link
    rng: np.random.Generator
    spells: list[Spell] = field(default_factory=list)  # spells of the flight simulator's radio
    fading: dict[str, Fading] = field(default_factory=dict)  # or of the other model, by direction

    def attack(
        self, label: str, kind: str, start_s: float, end_s: float, shown_s: float | None = None
    ) -> None:
        """Note an attack of a class; `shown_s` as in Episode."""
        self.conditions.episodes.append(Episode(label, kind, start_s, end_s, shown_s))

    def lookalike(self, kind: str, start_s: float, end_s: float) -> None:
        self.conditions.episodes.append(Episode(NORMAL, kind, start_s, end_s))


Maker = Callable[[Draft, float, float], None]  # makes an episode between two times in s


@dataclass(frozen=True)
class Kind:
    """A kind of episode; its length is drawn evenly between two in s."""

    make: Maker
    shortest_s: float
    longest_s: float


def planned(
    draft: Draft, attacks: Mapping[str, tuple[Kind, ...]], lookalikes: tuple[Kind, ...]
) -> Iterator[tuple[Maker, float, float]]:
    """Yield episodes; each class of attack is as frequent as the others."""
    rng, seconds = draft.rng, draft.conditions.seconds
    now_s = _FIRST_S + rng.exponential(10.0)
    while True:
        kinds = lookalikes
        if attacks and rng.random() < 0.6:
            kinds = attacks[list(attacks)[rng.integers(len(attacks))]]
        kind = kinds[rng.integers(len(kinds))]
        end_s = now_s + rng.uniform(kind.shortest_s, kind.longest_s)
        if end_s > seconds - _LAST_S:
            return
        yield kind.make, round(now_s, 2), round(end_s, 2)
        now_s = end_s + 20.0 + rng.exponential(25.0)
