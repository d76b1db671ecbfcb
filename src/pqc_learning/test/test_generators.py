# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the generators of labelled flights."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from pqc_learning.data import (
    judging_attacks,
    judging_lookalikes,
    training_attacks,
    training_lookalikes,
)
from pqc_learning.data.conditions import Conditions, Direction, slot_count
from pqc_learning.data.dataset import JUDGING, TRAINING, recorded_flight, windows
from pqc_learning.data.episodes import CLASSES, UNSURE, Episode, labels
from pqc_learning.data.recording import BIN_S, Recorded, record
from pqc_learning.data.training_flights import training_flight
from pqc_policy.sensing.traffic.features import FEATURES

SECONDS = 90.0
ATTACK = slice(60, 95)  # bins of the attack from 30 s on


def calm(per_s: float = 50.0, seconds: float = SECONDS) -> Conditions:
    ways = (Direction.calm(slot_count(seconds), per_s, 0.02, 0.002) for _ in range(2))
    return Conditions.calm("wifi", seconds, *ways)


def recorded(conditions: Conditions) -> Recorded:
    return record(conditions, np.random.default_rng(1))


def feature(flight: Recorded, name: str) -> NDArray[np.float32]:
    return flight.features()[:, FEATURES.index(name)]


def test_a_calm_flight_delivers_all_and_drops_nothing() -> None:
    flight = recorded(calm())
    assert len(flight.bins) == pytest.approx(SECONDS / BIN_S, abs=8)
    assert np.nanmin(feature(flight, "up_delivered")[5:]) > 0.9
    assert np.nanmean(feature(flight, "up_delivered")) == pytest.approx(1.0, abs=0.01)
    for name in FEATURES:
        if name.startswith("dropped"):
            assert np.nanmax(feature(flight, name)) == 0.0


def test_bins_are_known_soon_after_their_end() -> None:
    flight = recorded(calm())
    waits_s = flight.known_s - flight.start_s - BIN_S
    assert waits_s.min() >= 0.0
    assert waits_s.max() < 1.6


@pytest.mark.parametrize("way", ["up", "down"])
def test_a_loss_shows_in_its_direction(way: str) -> None:
    conditions = calm()
    (direction,) = conditions.ways(way)
    direction.loss[conditions.span(30.0, 60.0)] = 0.7
    flight = recorded(conditions)
    assert np.nanmean(feature(flight, f"{way}_delivered")[ATTACK]) == pytest.approx(0.3, abs=0.06)
    other = "down" if way == "up" else "up"
    assert np.nanmean(feature(flight, f"{other}_delivered")[ATTACK]) == pytest.approx(1, abs=0.02)


def test_a_delay_shows_in_the_round_trip() -> None:
    conditions = calm()
    conditions.up.delay_s[conditions.span(30.0, 60.0)] += 0.96
    rtt_s = 10.0 ** feature(recorded(conditions), "rtt")
    assert rtt_s[30] == pytest.approx(0.044, abs=0.01)
    assert rtt_s[ATTACK][-1] == pytest.approx(1.0, abs=0.05)


def test_what_is_withheld_for_longer_than_allowed_is_dropped_as_old() -> None:
    conditions = calm()
    span = conditions.span(30.0, 60.0)
    conditions.down.held[span], conditions.down.held_s[span] = 0.5, 3.0
    flight = recorded(conditions)
    per_s = 10.0 ** feature(flight, "dropped_seq_old") - 1.0
    assert per_s[ATTACK][10:30].mean() == pytest.approx(0.5 * 56.0, rel=0.25)


def test_gathering_and_a_stalled_receiver_make_silences() -> None:
    conditions = calm()
    conditions.down.gather_s[conditions.span(30.0, 60.0)] = 1.0
    silence_s = 10.0 ** feature(recorded(conditions), "down_silence")
    assert silence_s[ATTACK][-1] == pytest.approx(1.0, abs=0.1)
    assert silence_s[30] < 0.2


def test_nothing_is_known_of_a_link_that_is_silent() -> None:
    conditions = calm()
    for way in (conditions.up, conditions.down):
        way.loss[conditions.span(30.0, 60.0)] = 1.0
    flight = recorded(conditions)
    assert np.isnan(feature(flight, "up_delivered")[ATTACK][15:]).all()


@pytest.mark.parametrize("generator", [TRAINING, JUDGING])
def test_the_same_number_gives_the_same_flight(generator: str) -> None:
    first, second = (recorded_flight(generator, 5, 4, attacks=True) for _ in range(2))
    assert first.episodes == second.episodes
    np.testing.assert_array_equal(first.features(), second.features())


@pytest.mark.parametrize("generator", [TRAINING, JUDGING])
def test_flights_without_attacks_have_look_alikes_only(generator: str) -> None:
    flight = recorded_flight(generator, 5, 4, attacks=False)
    assert flight.episodes
    assert not any(one.is_attack for one in flight.episodes)
    assert not flight.labels().any()


def test_the_generators_cover_every_class_of_attack_in_their_own_ways() -> None:
    for attacks in (training_attacks.ATTACKS, judging_attacks.ATTACKS):
        assert tuple(attacks) == CLASSES[1:]
    for label in CLASSES[1:]:
        trained = {kind.make for kind in training_attacks.ATTACKS[label]}
        assert trained.isdisjoint(kind.make for kind in judging_attacks.ATTACKS[label])
    trained = {kind.make for kind in training_lookalikes.LOOK_ALIKES}
    assert trained.isdisjoint(kind.make for kind in judging_lookalikes.LOOK_ALIKES)


def test_bins_at_the_edges_of_an_attack_are_neither() -> None:
    starts_s = np.arange(100) * BIN_S
    found = labels([Episode("jamming", "test", 12.3, 24.0)], starts_s, BIN_S)
    assert set(found[:20]) == {0}
    assert set(found[21:40]) == {CLASSES.index("jamming")}
    assert set(found[40:51]) == {UNSURE}
    assert set(found[53:]) == {0}


def test_an_attack_that_does_not_show_yet_is_neither() -> None:
    starts_s = np.arange(100) * BIN_S
    found = labels([Episode("creeping", "test", 12.0, 48.0, shown_s=30.0)], starts_s, BIN_S)
    assert set(found[:20]) == {0}
    assert set(found[20:49]) == {UNSURE}
    assert set(found[51:80]) == {CLASSES.index("creeping")}


def test_attacks_of_the_training_show_within_five_seconds_unless_they_creep() -> None:
    begins_s = [
        one.shown_s - one.start_s
        for number in range(24)
        for one in training_flight(7, number, attacks=True, seconds=200.0).episodes
        if one.shown_s is not None and one.label != "creeping"
    ]
    assert len(begins_s) >= 8
    assert min(begins_s) == 0.0
    assert 0.5 < max(begins_s) <= 5.0


def test_each_window_ends_with_its_bin() -> None:
    features = np.arange(6 * len(FEATURES), dtype=np.float32).reshape(6, -1)
    view = windows(features, 4)
    assert view.shape == (6, 4, len(FEATURES))
    np.testing.assert_array_equal(view[:, -1], features)
    assert np.isnan(view[0, :-1]).all()
    np.testing.assert_array_equal(view[5], features[2:])
