# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Intervals of confidence: bootstrap of a median, Wilson's of a proportion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
# A statistic of the columns of a table: an array of (rows, columns) gives one of (columns,).
Statistic = Callable[[Array], Array]
SURE = 0.95
_TAILS = (100.0 * (1.0 - SURE) / 2.0, 100.0 * (1.0 + SURE) / 2.0)
_RESAMPLES = 2000
# The same run gives the same page.
_SEED = 20260222
# The 95th percentile of fewer suites is hardly more than the slowest one.
FEWEST_FOR_P95 = 10
FEW_FOR_P95 = f"a 95th percentile needs {FEWEST_FOR_P95} suites"
_Z = 1.959963985  # 97.5th percentile of the normal distribution


@dataclass(frozen=True)
class Interval:
    """Bounds from `n` samples; `sure` is the confidence, from 0 to 1."""

    low: float
    high: float
    n: int
    sure: float = SURE

    def map(self, of: Callable[[float], float]) -> Interval:
        """Return the interval of an increasing function of the value."""
        return replace(self, low=of(self.low), high=of(self.high))

    def overlaps(self, other: Interval) -> bool:
        """Whether a value lies in both."""
        return self.low <= other.high and other.low <= self.high


def middle(table: Array) -> Array:
    """Return the median of each column."""
    return np.asarray(np.median(table, axis=0))


def mean(table: Array) -> Array:
    """Return the mean of each column."""
    return np.asarray(np.mean(table, axis=0))


def p95(table: Array) -> Array:
    """Return the 95th percentile of each column, interpolated between two values."""
    return np.asarray(np.percentile(table, 95, axis=0))


def interval(samples: Sequence[float]) -> Interval | None:
    """Return the percentile bootstrap interval of the median; None for fewer than two samples.

    It lies within the samples, which hold the true median with a probability of 1 - 2^(1 - n). Up
    to five samples that is less than 95 %, and `sure` says so.
    """
    n = len(samples)
    if n < 2:
        return None
    low, high = np.percentile(_medians(samples, np.random.default_rng(_SEED)), _TAILS)
    return Interval(float(low), float(high), n, _sure(n, 1))


def pooled(suites: Sequence[Sequence[float]], statistic: Statistic = middle) -> Interval | None:
    """Return the interval of a statistic of the suites' medians; `suites` are samples of each.

    Repetitions are drawn anew within each suite, never across suites. None if a suite has one
    sample.
    """
    fewest = min((len(samples) for samples in suites), default=0)
    if fewest < 2:
        return None
    generator = np.random.default_rng(_SEED)
    drawn = statistic(np.stack([_medians(samples, generator) for samples in suites]))
    low, high = np.percentile(drawn, _TAILS)
    return Interval(float(low), float(high), fewest, _sure(fewest, len(suites)))


def pooled_ratio(
    before: Sequence[Sequence[float]], after: Sequence[Sequence[float]]
) -> Interval | None:
    """Return the interval of the median of the suites' ratios after / before, suite by suite."""
    if min((len(samples) for samples in (*before, *after)), default=0) < 2:
        return None
    generator = np.random.default_rng(_SEED)
    ratios = [
        _medians(late, generator) / _medians(early, generator)
        for early, late in zip(before, after, strict=True)
    ]
    low, high = np.percentile(middle(np.stack(ratios)), _TAILS)
    fewest = min(len(one) for one in (*before, *after))
    return Interval(float(low), float(high), fewest, _sure(fewest, len(ratios)))


def wilson(count: int, of: int) -> Interval | None:
    """Return the interval of the proportion count / of, from 0 to 1; None for `of` = 0."""
    if of == 0:
        return None
    share, z2 = count / of, _Z * _Z
    centre = (share + z2 / (2 * of)) / (1 + z2 / of)
    reach = _Z / (1 + z2 / of) * (share * (1 - share) / of + z2 / (4 * of * of)) ** 0.5
    # At the ends rounding may leave a remainder.
    low = 0.0 if count == 0 else max(0.0, centre - reach)
    high = 1.0 if count == of else min(1.0, centre + reach)
    return Interval(low, high, of)


def _sure(samples: int, suites: int) -> float:
    """Return the confidence: a single suite with up to five samples does not reach 95 %."""
    return SURE if suites > 1 else min(SURE, 1.0 - 2.0 ** (1 - samples))


def _medians(samples: Sequence[float], generator: np.random.Generator) -> Array:
    """Return the medians of resamples."""
    values = np.asarray(samples, dtype=float)
    places = generator.integers(0, len(values), (_RESAMPLES, len(values)))
    return np.asarray(np.median(values[places], axis=1))
