# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Intervals of 95 %: of shares, medians, counts, and of means and shares over flights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

_TAIL = 0.025  # share beyond the interval on either side
_RESAMPLES, _AT_ONCE = 2000, 200
# All resamples of fewer are on one side of the true mean in more than 5 % of all cases.
FEWEST_FOR_95 = 6
Ends = list[float]
Floats = NDArray[np.float64]


def wilson(hits: int, count: int) -> Ends | None:
    """Return Wilson's interval of the share hits / count; None without any case."""
    if not count:
        return None
    found = stats.binomtest(hits, count).proportion_ci(1.0 - 2.0 * _TAIL, "wilson")
    return [float(found.low), float(found.high)]


def of_median(values: Sequence[float]) -> Ends | None:
    """Return the interval of the median by the sign test; None for fewer than six values.

    Its ends are two of the values.
    """
    # Each value is above the median or below, like a coin.
    outside = int(stats.binom.ppf(_TAIL, len(values), 0.5)) if values else 0
    if not outside:
        return None
    ordered = sorted(values)
    return [ordered[outside - 1], ordered[-outside]]


def poisson(count: int, hours: float) -> Ends | None:
    """Return the exact interval (Garwood) of events in an hour; None without any time."""
    if hours <= 0.0:
        return None
    low = stats.chi2.ppf(_TAIL, 2 * count) / 2.0 if count else 0.0
    high = stats.chi2.ppf(1.0 - _TAIL, 2 * count + 2) / 2.0
    return [float(low / hours), float(high / hours)]


def by_flight(parts: Sequence[tuple[int, int]], seed: int) -> Ends | None:
    """Return the interval of the share of sums, (hits, count) of each flight.

    By the bootstrap over flights: the cases of one flight are alike. None if flights do not differ.
    """
    if len({hits / count for hits, count in parts if count}) < 2:
        return None
    even = np.full(len(parts), 1.0 / len(parts))
    weights = np.random.default_rng(seed).multinomial(len(parts), even, _RESAMPLES)
    hits, counts = (weights @ np.array(parts, dtype=float)).T
    low, high = np.percentile(hits[counts > 0.0] / counts[counts > 0.0], (2.5, 97.5))
    return [float(low), float(high)]


def bootstrap(columns: Floats, seed: int) -> tuple[Floats, Floats]:
    """Return the lower and upper ends of the means of columns (a row per flight).

    All columns are resampled alike; the percentile method.
    """
    count = len(columns)
    chance = np.random.default_rng(seed)
    means = []
    for _ in range(_RESAMPLES // _AT_ONCE):
        chosen = chance.integers(0, count, (_AT_ONCE, count))
        weights = np.stack([np.bincount(row, minlength=count) for row in chosen])
        means.append(weights @ columns / count)
    low, high = np.percentile(np.concatenate(means), (2.5, 97.5), axis=0)
    return low, high


def interval_name(count: int) -> str:
    """Return what the bootstrap of so many flights gives at most."""
    return f"{95 if count >= FEWEST_FOR_95 else 100 - 100 * 2 ** (1 - count):.3g} % interval"
