# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Intervals of confidence: bootstrap of a median, Wilson's of a proportion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest, bootstrap

Array = NDArray[np.float64]
# A statistic of the columns of a table: an array of (rows, columns) gives one of (columns,).
Statistic = Callable[[Array], Array]
SURE = 0.95
_RESAMPLES = 2000
# The same run gives the same page.
_SEED = 20260222
# The 95th percentile of fewer suites is hardly more than the slowest one.
FEWEST_FOR_P95 = 10
FEW_FOR_P95 = f"a 95th percentile needs {FEWEST_FOR_P95} suites"


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
        """Return whether a value lies in both."""
        return self.low <= other.high and other.low <= self.high


def middle(table: Array) -> Array:
    return np.asarray(np.median(table, axis=0))


def mean(table: Array) -> Array:
    return np.asarray(np.mean(table, axis=0))


def p95(table: Array) -> Array:
    """Return the 95th percentile of each column, interpolated between two values."""
    return np.asarray(np.percentile(table, 95, axis=0))


def interval(samples: Sequence[float]) -> Interval | None:
    """Return the percentile bootstrap interval of the median; None for fewer than two samples.

    It lies within the samples, which hold the true median with a probability of 1 - 2^(1 - n). Up
    to five samples that is less than 95 %, and `sure` says so.
    """
    return pooled([samples])


def pooled(suites: Sequence[Sequence[float]], statistic: Statistic = middle) -> Interval | None:
    """Return the interval of a statistic of the suites' medians; `suites` are samples of each.

    Repetitions are drawn anew within each suite, never across suites. None if a suite has one
    sample.
    """
    return _bootstrap(suites, statistic, len(suites))


def pooled_ratio(
    before: Sequence[Sequence[float]], after: Sequence[Sequence[float]]
) -> Interval | None:
    """Return the interval of the median of the suites' ratios after / before, suite by suite."""
    count = len(before)
    return _bootstrap([*before, *after], lambda of: middle(of[count:] / of[:count]), count)


def wilson(count: int, of: int) -> Interval | None:
    """Return the interval of the proportion count / of, from 0 to 1; None for `of` = 0."""
    if of == 0:
        return None
    found = binomtest(count, of).proportion_ci(SURE, method="wilson")
    return Interval(float(found.low), float(found.high), of)


def _bootstrap(
    samples: Sequence[Sequence[float]], statistic: Statistic, suites: int
) -> Interval | None:
    """Return the interval of a statistic of the medians of all samples, which are of `suites`."""
    fewest = min(map(len, samples), default=0)
    if fewest < 2:
        return None

    def of_medians(*drawn: Array, axis: int) -> Array:
        medians = np.stack([np.median(one, axis=axis) for one in drawn])
        # The samples themselves are no table, but a column of one.
        return statistic(medians) if medians.ndim == 2 else statistic(medians[:, np.newaxis])[0]

    found = bootstrap(
        samples,
        of_medians,
        n_resamples=_RESAMPLES,
        vectorized=True,
        confidence_level=SURE,
        method="percentile",
        random_state=np.random.default_rng(_SEED),
    ).confidence_interval
    # A single suite with up to five samples does not reach 95 %.
    sure = SURE if suites > 1 else min(SURE, 1.0 - 2.0 ** (1 - fewest))
    return Interval(float(found.low), float(found.high), fewest, sure)
