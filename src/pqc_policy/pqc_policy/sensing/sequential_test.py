# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Weighs a model's evidence of several bins: Page's cumulative sum of log-odds.

A clear attack is sure after fewer bins than a fixed number of them in a row needs, and a faint one
after more. Of all rules with as few false alarms this one detects soonest (Lorden 1971).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SPAN = 50  # newest bins that are weighed
_SURE = 1e-9  # no probability is closer to 0 or 1


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """The test, as the training has chosen it (ModelCard)."""

    neutral: float  # probability of an attack that speaks neither for nor against one
    most: float  # what a bin adds to the sum, or takes away, at most
    limit: float  # of the sum, from which there is an attack

    def sums(self, attack: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum after the newest of bins: 0 to twice the limit.

        `attack`, shape (..., bins), has the probabilities of an attack, the oldest bin first.
        """
        odds = _log_odds(attack) - _log_odds(np.float64(self.neutral))
        steps = np.clip(odds, -self.most, self.most)
        total = np.zeros(attack.shape[:-1])
        for bin_ in range(attack.shape[-1]):
            total = np.clip(total + steps[..., bin_], 0.0, 2.0 * self.limit)
        return total


def _log_odds(probability: NDArray[np.float64] | np.float64) -> NDArray[np.float64]:
    kept = np.clip(probability, _SURE, 1.0 - _SURE)
    return np.asarray(np.log(kept / (1.0 - kept)))
