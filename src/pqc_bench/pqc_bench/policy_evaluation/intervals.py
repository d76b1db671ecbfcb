# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Intervals of 95 %: of means by the bootstrap over flights, of shares by Wilson's formula."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

RESAMPLES = 2000
_AT_ONCE = 200
_Z = 1.959964
# All resamples of fewer are on one side of the true mean in more than 5 % of all cases.
FEWEST_FOR_95 = 6


def bootstrap(columns: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and upper ends of the means of columns (a row per flight).

    All columns are resampled alike; the percentile method.
    """
    count = len(columns)
    chance = np.random.default_rng(seed)
    means = []
    for _ in range(RESAMPLES // _AT_ONCE):
        chosen = chance.integers(0, count, (_AT_ONCE, count))
        weights = np.stack([np.bincount(row, minlength=count) for row in chosen])
        means.append(weights @ columns / count)
    low, high = np.percentile(np.concatenate(means), (2.5, 97.5), axis=0)
    return low, high


def interval_name(count: int) -> str:
    """Return what the bootstrap of so many flights gives at most."""
    return f"{95 if count >= FEWEST_FOR_95 else 100 - 100 * 2 ** (1 - count):.3g} % interval"


def wilson(met: int, seen: int) -> tuple[float, float] | None:
    """Return the ends of the interval of a share; None without any case."""
    if seen == 0:
        return None
    share, z2 = met / seen, _Z**2
    middle = (share + z2 / (2 * seen)) / (1 + z2 / seen)
    half = _Z * sqrt(share * (1 - share) / seen + z2 / (4 * seen**2)) / (1 + z2 / seen)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def rounded(values: Sequence[float], digits: int = 6) -> list[float]:
    """Return numbers with so many significant digits, so that equal runs give equal files."""
    return [float(f"{value:.{digits}g}") for value in values]
