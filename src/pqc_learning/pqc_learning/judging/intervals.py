# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Intervals of 95 %: of shares, of medians, of counts, and of shares over flights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb, exp, lgamma, log, sqrt

import numpy as np

_SIGMA = 1.96
_TAIL = 0.025  # on either side
_RESAMPLES = 2000
_HALVINGS = 60
Ends = list[float]


def wilson(hits: int, count: int) -> Ends | None:
    """Return the interval of the share hits / count; None without any case."""
    if not count:
        return None
    share, square = hits / count, _SIGMA**2 / count
    middle = (share + square / 2.0) / (1.0 + square)
    half = sqrt(share * (1.0 - share) * square + square**2 / 4.0) / (1.0 + square)
    return [max(middle - half, 0.0), min(middle + half, 1.0)]


def of_median(values: Sequence[float]) -> Ends | None:
    """Return the interval of the median by the sign test; None for fewer than six values.

    Its ends are two of the values.
    """
    count, below, outside = len(values), 0, 0
    # Each value is above the median or below, like a coin.
    while (below := below + comb(count, outside)) / 2**count <= _TAIL:
        outside += 1
    if not outside:
        return None
    ordered = sorted(values)
    return [ordered[outside - 1], ordered[-outside]]


def poisson(count: int, hours: float) -> Ends | None:
    """Return the exact interval (Garwood) of events in an hour; None without any time."""
    if hours <= 0.0:
        return None
    most = count + 10.0 * sqrt(count + 1.0)
    low = _falls_to(lambda mean: _at_most(count - 1, mean), 1.0 - _TAIL, most) if count else 0.0
    return [low / hours, _falls_to(lambda mean: _at_most(count, mean), _TAIL, most) / hours]


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


def _at_most(count: int, mean: float) -> float:
    """Return the probability of at most `count` events where `mean` are expected."""
    return sum(exp(one * log(mean) - mean - lgamma(one + 1.0)) for one in range(count + 1))


def _falls_to(of: Callable[[float], float], wanted: float, most: float) -> float:
    """Return where a falling function of 0 to `most` has the wanted value."""
    low, high = 0.0, most
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if of(middle) > wanted else (low, middle)
    return high
