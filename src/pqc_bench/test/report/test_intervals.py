# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random
from statistics import median

from pqc_bench.report.intervals import Interval, interval, middle, pooled, pooled_ratio, wilson


def test_one_sample_has_no_interval() -> None:
    assert interval([1.0]) is None
    assert pooled([[1.0], [2.0, 3.0]]) is None
    assert pooled_ratio([[1.0, 2.0]], [[1.0]]) is None
    assert wilson(0, 0) is None


def test_few_samples_do_not_reach_95_percent_and_say_so() -> None:
    # The true median lies within n samples with a probability of 1 - 2^(1 - n).
    found = {n: interval([float(k) for k in range(n)]) for n in (2, 3, 4, 5, 6, 60)}
    assert {n: one and one.sure for n, one in found.items()} == {
        2: 0.5,
        3: 0.75,
        4: 0.875,
        5: 0.9375,
        6: 0.95,
        60: 0.95,
    }
    assert found[3] == Interval(0.0, 2.0, 3, 0.75)


def test_the_bootstrap_holds_the_true_median_about_as_often_as_it_says() -> None:
    generator = random.Random(4)
    hits = 0
    for _ in range(200):
        found = interval([generator.lognormvariate(0.0, 1.0) for _ in range(25)])
        hits += found.low <= 1.0 <= found.high
    assert 0.90 <= hits / 200 <= 0.99


def test_an_interval_is_the_same_each_time() -> None:
    values = [3.0, 1.0, 4.0, 1.5, 9.0, 2.6, 5.3]
    assert interval(values) == interval(values)


def test_suites_that_differ_do_not_widen_the_interval_of_their_median() -> None:
    # Three ciphers that differ by a factor of 100, each repeated six times within 1 %.
    suites = [[base * (1.0 + 0.002 * k) for k in range(6)] for base in (1.0, 10.0, 100.0)]
    found = pooled(suites)
    assert 10.0 <= found.low <= median(suites[1]) <= found.high <= 10.1
    assert (found.n, found.sure) == (6, 0.95)
    mixed = interval([one for samples in suites for one in samples])
    assert mixed.high > 5.0 * mixed.low, "what pooling the suites' samples would have shown"


def test_a_ratio_is_paired_by_suite() -> None:
    before = [[1.0, 1.01, 0.99], [100.0, 101.0, 99.0]]
    found = pooled_ratio(before, [[2.0 * one for one in samples] for samples in before])
    assert 1.9 < found.low < 2.0 < found.high < 2.1


def test_a_statistic_of_an_array_is_taken_by_column() -> None:
    import numpy as np

    assert middle(np.asarray([[1.0, 5.0], [2.0, 9.0], [3.0, 7.0]])).tolist() == [2.0, 7.0]
