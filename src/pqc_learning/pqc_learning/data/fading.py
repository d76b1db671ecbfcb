# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Losses from a signal that fades: a correlated walk in dB, and the share that each dB costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pqc_learning.data.conditions import SLOT_S, Slots

_STEEPNESS = 0.8  # steepness of the lost share, per dB


def faded(slots: int, correlated_s: float, rng: np.random.Generator) -> Slots:
    """Return a normal walk of variance 1 whose correlation decays over a time in s."""
    keep = float(np.exp(-SLOT_S / correlated_s))
    steps = rng.standard_normal(slots) * np.sqrt(1.0 - keep**2)
    walk, value = np.empty(slots), float(rng.standard_normal())
    for slot, step in enumerate(steps.tolist()):
        value = keep * value + step
        walk[slot] = value
    return walk


@dataclass
class Fading:
    """One direction: dB above the point at which half is lost, in each slot."""

    margin_db: Slots

    @classmethod
    def around(cls, usual_loss: float, spread_db: float, walk_db: Slots) -> Fading:
        """Return a walk around the margin at which about `usual_loss` is lost."""
        margin_db = np.log((1.0 - usual_loss) / usual_loss) / _STEEPNESS
        # The deepest fades lose most, and the mean over the walk has to be the usual loss.
        return cls(margin_db + 0.5 * _STEEPNESS * spread_db**2 / 2.0 + walk_db)

    def loss(self) -> Slots:
        """Return the share that is lost in each slot."""
        return 1.0 / (1.0 + np.exp(np.clip(_STEEPNESS * self.margin_db, -40.0, 40.0)))

    def set_loss(self, span: slice, loss: Slots) -> None:
        """Take so much signal away that the share lost is about `loss`, the walk kept."""
        loss = np.clip(loss, 1e-4, 1.0 - 1e-4)
        target_db = np.log((1.0 - loss) / loss) / _STEEPNESS
        walk_db = self.margin_db[span] - self.margin_db.mean()
        self.margin_db[span] = np.minimum(target_db + 0.3 * walk_db, self.margin_db[span])
