# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Q-learning of a table from a fixed set of experience (fitted Q iteration, Ernst et al. 2005).

The value of a choice is the sum of a weight for each bin that is seen. Each turn fits the weights
of every choice, by least squares, to the reward plus the value of the best choice that was open
next.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pqc_learning.environment.episode import CHOICES, DISCOUNT
from pqc_learning.training.experience import SIZE, Experience

TURNS = 150
# A bin that was seen this seldom hardly moves its weight.
PRIOR = 20.0

Weights = NDArray[np.float64]  # choices × bins


def fitted(experience: Experience, turns: int = TURNS) -> Weights:
    """Return the weights; equal experience gives equal ones, but for the machine's rounding."""
    rows = [np.flatnonzero(experience.choice == number) for number in range(len(CHOICES))]
    inverse = [_inverse(experience.seen[own]) for own in rows]
    weights = np.zeros((len(CHOICES), SIZE))
    share = DISCOUNT ** experience.seconds.astype(np.float64)
    for _ in range(turns):
        best = np.where(experience.able, values(weights, experience.then), -np.inf).max(axis=1)
        wanted = experience.reward + share * np.where(np.isfinite(best), best, 0.0)
        for number, own in enumerate(rows):
            sums = np.bincount(
                experience.seen[own].ravel(),
                np.repeat(wanted[own], experience.seen.shape[1]),
                minlength=SIZE,
            )
            weights[number] = inverse[number] @ sums
    return weights


def values(weights: Weights, seen: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the values of all choices, N × choices."""
    return np.stack([own[seen].sum(axis=1) for own in weights], axis=1)


def _inverse(seen: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the inverse of the bins' table of joint counts, with the prior."""
    counts = np.zeros((SIZE, SIZE))
    for column in seen.T:
        for other in seen.T:
            np.add(counts, _joint(column, other), out=counts)
    return np.linalg.inv(counts + PRIOR * np.eye(SIZE))


def _joint(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.bincount(one * SIZE + other, minlength=SIZE * SIZE).reshape(SIZE, SIZE)
