# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of how detectors are judged."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pqc_learning.data.conditions import Conditions, Direction, slot_count
from pqc_learning.data.episodes import ATTACKS, Episode
from pqc_learning.data.recording import Recorded, record
from pqc_learning.judging.alarms import account, alarmed, false_alarms_per_hour, threshold_for
from pqc_learning.judging.contenders import HEURISTIC, RULES, make_detectors
from pqc_learning.judging.flown import WITHOUT_ATTACKS, fly_all, judge
from pqc_learning.judging.result import result
from pqc_learning.judging.result_text import tables
from pqc_policy.policy.inputs import Verdict
from pqc_policy.sensing.detectors.advisor import Advisor, AdvisorState
from pqc_policy.sensing.detectors.finding import Finding
from pqc_policy.sensing.traffic.bins import Bin
from pqc_policy.sensing.traffic.usual_traffic import Usual

BIN_S = 0.6


def flight(*episodes: Episode, seconds: float = 600.0) -> Recorded:
    starts_s = np.arange(int(seconds / BIN_S)) * BIN_S
    return Recorded("wifi", seconds, episodes, (), starts_s, starts_s + 1.5)


def states(whole: Recorded, *alarms: tuple[float, float]) -> np.ndarray:
    found = np.zeros(len(whole.known_s), dtype=bool)
    for start_s, end_s in alarms:
        found |= (whole.known_s >= start_s) & (whole.known_s < end_s)
    return found


def test_an_alarm_needs_three_bins_in_a_row_and_ends_after_ten_calm_ones_for_each_step() -> None:
    scores = [0, 1, 1, 0, 1, 1, 1, 0, 1, *[0] * 12]
    assert alarmed(np.array(scores, dtype=float), 0.9).tolist() == [
        *[False] * 6,
        *[True] * 12,
        *[False] * 3,
    ]


def test_each_of_the_bins_in_a_row_reaches_the_threshold_if_no_less_is_suspicious() -> None:
    scores = np.array([0.8, 0.8, 0.9, 0.9, 0.9])
    assert alarmed(scores, 0.9).tolist() == [False, False, True, True, True]
    assert alarmed(scores, 0.9, 1.0).tolist() == [False, False, False, False, True]


class Told:
    """A detector with given scores."""

    name, bins = "told", 1

    def __init__(self, scores: list[float]) -> None:
        self._scores = iter(scores)

    def judge(self, bins: Sequence[Bin], usual: Usual) -> Finding:
        return Finding(next(self._scores))


@given(st.lists(st.sampled_from([0.0, 0.49, 0.5, 0.8, 0.9, 1.0]), max_size=80))
def test_alarms_are_those_of_the_advisor(scores: list[float]) -> None:
    advisor, state, found = Advisor(detectors=(Told(scores),)), AdvisorState(), []
    for _ in scores:
        state = advisor.judged(state, Bin())
        found.append(state.verdict is Verdict.ATTACK)
    assert alarmed(np.array(scores), 0.9).tolist() == found


def test_an_attack_is_detected_from_its_begin_to_the_alarm() -> None:
    whole = flight(Episode("jamming", "noise", 100.0, 140.0))
    (one,) = account(whole, states(whole, (104.0, 150.0))).detections
    assert one.delay_s == pytest.approx(4.0, abs=BIN_S)
    assert (one.label, one.link) == ("jamming", "wifi")


def test_an_alarm_after_the_attack_is_no_detection() -> None:
    whole = flight(Episode("jamming", "noise", 100.0, 140.0))
    seen = account(whole, states(whole, (144.0, 150.0)))
    assert seen.detections[0].delay_s is None
    assert seen.false_alarms == 0


def test_an_alarm_in_normal_flight_is_false_and_counts_again_each_minute() -> None:
    whole = flight(Episode("normal", "busy computer", 100.0, 140.0))
    assert account(whole, states(whole, (110.0, 120.0), (300.0, 305.0))).false_alarms == 2
    assert account(whole, states(whole, (100.0, 300.0))).false_alarms == 4


def test_false_alarms_are_counted_per_hour_of_normal_flight() -> None:
    whole = flight(Episode("jamming", "noise", 0.0, 285.0))
    seen = account(whole, states(whole, (400.0, 410.0)))
    assert false_alarms_per_hour([seen]) == pytest.approx(12.0)


def test_the_threshold_is_the_lowest_with_few_enough_false_alarms() -> None:
    whole = flight()
    scores = np.full(len(whole.known_s), 0.1)
    scores[100:110] = 0.7
    assert threshold_for([whole], [scores], 0.0) == pytest.approx(0.7, abs=1e-3)
    assert threshold_for([whole], [scores], 6.0) == pytest.approx(0.1, abs=1e-3)


def test_the_heuristic_detects_a_loss_in_a_flight_that_is_flown_through_the_advisor() -> None:
    seconds = 90.0
    ways = (Direction.calm(slot_count(seconds), 50.0, 0.02, 0.002) for _ in range(2))
    conditions = Conditions.calm("wifi", seconds, *ways)
    conditions.up.loss[conditions.span(40.0, 60.0)] = 0.9
    conditions.episodes.append(Episode("jamming", "noise", 40.0, 60.0))
    judged = judge(record(conditions, np.random.default_rng(1)), make_detectors(HEURISTIC))
    (one,) = judged.account.detections
    assert one.delay_s is not None
    assert 2.0 < one.delay_s < 8.0
    assert judged.account.false_alarms == 0
    assert judged.scores.max() == 1.0


def test_the_comparison_has_a_rate_and_a_delay_of_each_class_and_is_json() -> None:
    flown = fly_all([HEURISTIC, RULES], [4, WITHOUT_ATTACKS + 4], seed=1, jobs=1)
    compared = json.loads(json.dumps(result(flown, [HEURISTIC, RULES], 1, lambda _: 0)))
    assert list(compared["detectors"]) == [HEURISTIC, RULES]
    one = compared["detectors"][RULES]
    assert set(one["classes"]) == set(ATTACKS)
    for label in ATTACKS:
        rate = one["classes"][label]
        assert {"rate", "interval", "delay_s"} <= set(rate)
        assert (rate["interval_ever"] is None) == (rate["attacks"] == 0)
        assert (rate["delay_interval_s"] is None) == (rate["detected"] < 6)
    low, high = one["false_alarms_interval"]
    assert low <= one["false_alarms_per_hour"] <= high
    assert one["false_alarms_per_hour"] >= 0.0
    assert 0.0 < one["cpu_percent"] < 10.0
    assert "sik-57600" in one["links"]
    assert any(RULES in line for line in tables(compared))
