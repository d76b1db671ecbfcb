# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The examples of an agent: choices in flights of the training, and their consequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pqc_learning.agent.choice import Choice
from pqc_learning.agent.view import COLUMNS
from pqc_learning.closed_loop.cost_set import cost_sets
from pqc_learning.closed_loop.distribution import draw
from pqc_learning.closed_loop.flight_plan import PreparedFlight
from pqc_learning.environment.episode import CHOICES, Episode, Moment

# Where a column's bins begin in a row of all of them.
STARTS = np.concatenate(([0], np.cumsum([len(column.bins) for column in COLUMNS])[:-1]))
SIZE = sum(len(column.bins) for column in COLUMNS)
# Some flights act often, others seldom: of the choices that do not hold, so large a share.
SHARES = (0.02, 0.05, 0.1, 0.3)
Chooser = Callable[[Moment, np.random.Generator], Choice]


@dataclass(frozen=True)
class Experience:
    """Choices; arrays of one entry each."""

    seen: NDArray[np.int64]  # N × columns: indices of bins in a row
    choice: NDArray[np.int64]
    reward: NDArray[np.float64]
    seconds: NDArray[np.int64]
    then: NDArray[np.int64]  # as `seen`; zeros after the end
    able: NDArray[np.bool_]  # N × choices, at the next moment; none after the end

    def __add__(self, other: Experience) -> Experience:
        """Return both."""
        return Experience(
            *(
                np.concatenate((getattr(self, name), getattr(other, name)))
                for name in self.__dataclass_fields__
            )
        )


def at_random(moment: Moment, chance: np.random.Generator, share: float) -> Choice:
    """Hold, or with a probability make any of the other choices that are open."""
    others = [choice for choice in moment.able if choice is not Choice.HOLD]
    if chance.random() >= share:
        return Choice.HOLD
    return others[int(chance.integers(len(others)))]


def fly_flight(seed: int, best: Chooser | None) -> Experience:
    """Fly one flight of the training with each cost set.

    Without a best choice all are made at random, else one of ten.
    """
    chance = np.random.default_rng(seed)
    prepared = PreparedFlight(draw(seed))
    rows: list[tuple[Moment, Choice, float, int, Moment | None]] = []
    for costs in cost_sets().values():
        episode, share = Episode(prepared, costs), SHARES[int(chance.integers(len(SHARES)))]
        moment = episode.first
        while moment is not None:
            if best is None or chance.random() < 0.1:
                choice = at_random(moment, chance, share if best is None else 0.5)
            else:
                choice = best(moment, chance)
            passed = episode.choose(choice)
            rows.append((moment, choice, passed.reward, passed.seconds, passed.then))
            moment = passed.then
    return _table(rows)


def _table(rows: Sequence[tuple[Moment, Choice, float, int, Moment | None]]) -> Experience:
    nothing = tuple(0 for _ in COLUMNS)

    def views(moments: Iterator[Moment | None]) -> NDArray[np.int64]:
        bins = [nothing if one is None else one.view for one in moments]
        return np.array(bins, dtype=np.int64).reshape(-1, len(COLUMNS)) + STARTS

    return Experience(
        seen=views(row[0] for row in rows),
        choice=np.array([CHOICES.index(row[1]) for row in rows], dtype=np.int64),
        reward=np.array([row[2] for row in rows], dtype=np.float64),
        seconds=np.array([row[3] for row in rows], dtype=np.int64),
        then=views(row[4] for row in rows),
        able=np.array(
            [[row[4] is not None and c in row[4].able for c in CHOICES] for row in rows],
            dtype=np.bool_,
        ).reshape(-1, len(CHOICES)),
    )
