# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the intervals of the detectors' figures, against published ones and by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from pqc_learning.intervals import bootstrap, by_flight, of_median, poisson, wilson


def test_without_any_case_there_is_no_interval() -> None:
    assert wilson(0, 0) is None
    assert of_median([]) is None
    assert poisson(0, 0.0) is None
    assert by_flight([], 1) is None
    assert by_flight([(0, 0), (0, 0)], 1) is None


def test_flights_that_do_not_differ_tell_nothing_of_others() -> None:
    assert by_flight([(0, 5), (0, 3), (0, 0)], 1) is None


def test_wilsons_interval_is_the_published_one() -> None:
    # Newcombe 1998, table I, method 3.
    assert wilson(81, 263) == pytest.approx([0.2553, 0.3662], abs=1e-4)
    assert wilson(0, 20) == pytest.approx([0.0, 0.1611], abs=1e-4)


@pytest.mark.parametrize(
    ("count", "low", "high"),
    # Garwood 1936, exact limits of a Poisson mean.
    [(0, 0.0, 3.689), (1, 0.0253, 5.572), (5, 1.623, 11.668), (10, 4.795, 18.390)],
)
def test_the_interval_of_a_count_is_the_published_one(count: int, low: float, high: float) -> None:
    assert poisson(count, 1.0) == pytest.approx([low, high], abs=1e-3)
    assert poisson(count, 4.0) == pytest.approx([low / 4.0, high / 4.0], abs=1e-3)


@pytest.mark.parametrize(("count", "outside"), [(6, 0), (8, 0), (9, 1), (20, 5), (100, 39)])
def test_the_interval_of_a_median_is_that_of_the_sign_test(count: int, outside: int) -> None:
    # Conover, Practical Nonparametric Statistics: so many values lie outside on either side.
    values = [float(one) for one in reversed(range(count))]
    assert of_median(values) == [outside, count - 1 - outside]


def test_five_values_do_not_hold_the_median_with_95_percent() -> None:
    assert of_median([1.0, 2.0, 3.0, 4.0, 5.0]) is None


def test_a_share_of_flights_whose_cases_are_alike_has_a_wider_interval() -> None:
    low, high = by_flight([(10, 10)] * 10 + [(0, 10)] * 10, 1) or (0.0, 0.0)
    alike = wilson(100, 200)
    assert alike is not None
    assert 0.2 < low < alike[0] < 0.5 < alike[1] < high < 0.8


def test_the_interval_of_a_share_of_flights_holds_the_true_one_about_as_often_as_it_says() -> None:
    chance, held = np.random.default_rng(5), 0
    for _ in range(100):
        shares = chance.beta(2.0, 2.0, 60)
        counts = chance.integers(1, 30, 60)
        hits = chance.binomial(counts, shares)
        low, high = by_flight(list(zip(hits.tolist(), counts.tolist(), strict=True)), 1) or (0, 0)
        held += low <= 0.5 <= high
    assert 88 <= held <= 100


def test_the_bootstrap_covers_a_mean_as_often_as_it_says() -> None:
    chance = np.random.default_rng(3)
    columns = chance.normal(2.0, 1.0, (80, 100))
    low, high = bootstrap(columns, 1)
    assert 0.85 <= np.mean((low <= 2.0) & (high >= 2.0)) <= 1.0
    assert np.all(high - low > 0.2)
