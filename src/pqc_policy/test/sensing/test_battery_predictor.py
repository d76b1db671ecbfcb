# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the predictor with discharges of two other battery models."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from statistics import median
from typing import NamedTuple

import pytest
from pqc_policy.sensing.battery.open_circuit import cell_voltage_and_slope, charge_at
from pqc_policy.sensing.battery.predictor import BatteryPredictor, Pack, Prediction, Sample
from shepherd import Discharge
from thevenin import CircuitDischarge

CONDITIONS = {
    "new": {},
    "cold": {"temperature_c": 5.0},
    "hot": {"temperature_c": 40.0},
    "gentle": {"hover_a": 10.0},
    "hard": {"hover_a": 26.0},
    "current read 3 % high": {"current_error": 0.03},
    "current read 3 % low": {"current_error": -0.03},
}
WORN = {"capacity_ah": 4.7, "resistance_ohm": 0.0055}
MODELS = (Discharge, CircuitDischarge)
AnyDischarge = Discharge | CircuitDischarge


class Error(NamedTuple):
    """Largest error of the time left from 80 % to 20 % of the usable charge, as shares."""

    of_flight: float
    of_left: float
    of_left_down_to_half: float


def predictions(
    flight: AnyDischarge, pack: Pack
) -> Iterator[tuple[Prediction, float, float, float]]:
    """Yield each prediction with the true usable charge, time left and whole time."""
    log = list(flight.samples())
    end_s, all_ah = log[-1][0].time_s, log[-1][1]
    predictor = BatteryPredictor(pack)
    estimate = predictor.start(log[0][0])
    for sample, taken_ah in log[1:]:
        estimate = predictor.update(estimate, sample)
        charge = 1.0 - taken_ah / all_ah
        if 0.2 <= charge <= 0.8:
            yield predictor.predict(estimate), charge, end_s - sample.time_s, end_s


def worst(flight: AnyDischarge, pack: Pack | None = None) -> Error:
    errors = [
        (abs((prediction.endurance_s or 0.0) - left_s), left_s, end_s, charge)
        for prediction, charge, left_s, end_s in predictions(flight, pack or Pack())
    ]
    return Error(
        max(error_s / end_s for error_s, _, end_s, _ in errors),
        max(error_s / left_s for error_s, left_s, _, _ in errors),
        max(error_s / left_s for error_s, left_s, _, charge in errors if charge >= 0.5),
    )


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", CONDITIONS)
@pytest.mark.parametrize("model", MODELS)
def test_time_left_is_within_10_percent_of_the_flight_from_80_to_20_percent(
    model: type[AnyDischarge], name: str, seed: int
) -> None:
    assert worst(model(seed=seed, **CONDITIONS[name])).of_flight < 0.10


def test_errors_relative_to_flight_and_time_left_match_the_documented_ones() -> None:
    errors = [
        worst(model(seed=4, **condition)) for model in MODELS for condition in CONDITIONS.values()
    ]
    assert max(error.of_flight for error in errors) < 0.07
    assert median(error.of_left for error in errors) < 0.15
    assert max(error.of_left for error in errors) < 0.25
    assert max(error.of_left_down_to_half for error in errors) < 0.13


@pytest.mark.parametrize("model", MODELS)
def test_a_pack_worn_by_a_tenth_is_predicted_within_6_percent_if_configured_or_else_11(
    model: type[AnyDischarge],
) -> None:
    for seed in range(1, 5):
        assert worst(model(seed=seed, **WORN), Pack(capacity_ah=4.7)).of_flight < 0.06
        assert worst(model(seed=seed, **WORN)).of_flight < 0.11


def any_flight(chance: Random, model: type[AnyDischarge]) -> AnyDischarge:
    return model(
        capacity_ah=chance.uniform(4.7, 5.3),
        resistance_ohm=chance.uniform(0.0035, 0.0055),
        hover_a=chance.uniform(9.0, 26.0),
        temperature_c=chance.uniform(5.0, 45.0),
        current_error=chance.uniform(-0.03, 0.03),
        noise_v=chance.uniform(0.01, 0.04),
        seed=chance.randrange(10**6),
    )


def test_17_of_20_random_flights_are_within_10_percent_and_all_within_13() -> None:
    chance = Random(7)
    errors = [worst(any_flight(chance, model)).of_flight for _ in range(40) for model in MODELS]
    assert sum(error < 0.10 for error in errors) >= 0.85 * len(errors)
    assert max(errors) < 0.13


def test_the_charge_lies_within_two_sigma_most_of_the_time() -> None:
    inside = [
        abs(prediction.charge - charge) <= 2.0 * prediction.charge_sigma
        for model in MODELS
        for condition in CONDITIONS.values()
        for prediction, charge, _, _ in predictions(model(**condition), Pack())
    ]
    assert sum(inside) / len(inside) > 0.9


def test_charge_of_a_resting_pack_follows_its_voltage_and_time_left_is_unknown() -> None:
    predictor = BatteryPredictor(Pack(cells=6))
    estimate = predictor.start(Sample(0.0, 6 * 3.70, 0.0))
    first = predictor.predict(estimate).charge_sigma
    rest_v, _ = cell_voltage_and_slope(0.6)
    for second in range(1, 600):
        estimate = predictor.update(estimate, Sample(float(second), 6 * rest_v, 0.0))
    prediction = predictor.predict(estimate)
    assert prediction.charge == pytest.approx(0.6, abs=0.03)
    assert prediction.charge_sigma < first
    assert (prediction.endurance_s, prediction.endurance_sigma_s) == (None, None)


def test_a_prediction_under_load_has_the_standard_deviation_of_its_time_left() -> None:
    predictor = BatteryPredictor(Pack())
    estimate = predictor.start(Sample(0.0, 15.6, 16.0))
    prediction = predictor.predict(estimate)
    assert prediction.endurance_s is not None and prediction.endurance_sigma_s is not None
    assert prediction.endurance_sigma_s > 0.0


def test_a_hard_discharge_empties_a_pack_faster_than_in_proportion_to_its_current() -> None:
    def left_s(current_a: float) -> float:
        predictor = BatteryPredictor(Pack(peukert=1.2, cell_resistance_ohm=1e-6))
        volts = 4 * cell_voltage_and_slope(0.8)[0]
        prediction = predictor.predict(predictor.start(Sample(0.0, volts, current_a)))
        assert prediction.endurance_s is not None
        return prediction.endurance_s

    assert left_s(10.0) / left_s(20.0) == pytest.approx(2**1.2, rel=1e-3)


def test_a_change_of_load_is_used_for_prediction_after_half_a_minute() -> None:
    predictor = BatteryPredictor(Pack(cell_resistance_ohm=1e-6))
    estimate = predictor.start(Sample(0.0, 15.6, 10.0))
    for second in range(1, 400):
        estimate = predictor.update(estimate, Sample(float(second), 15.6, 10.0))
    for second in range(400, 430):
        estimate = predictor.update(estimate, Sample(float(second), 15.6, 20.0))
    assert estimate.mean_current_a == pytest.approx(20.0, rel=0.2)


def test_a_sample_that_is_not_newer_changes_nothing() -> None:
    predictor = BatteryPredictor(Pack())
    estimate = predictor.start(Sample(5.0, 15.6, 10.0))
    assert predictor.update(estimate, Sample(5.0, 14.0, 30.0)) is estimate


@pytest.mark.parametrize("charge", [0.0, 0.07, 0.5, 0.93, 1.0])
def test_charge_and_resting_voltage_convert_into_each_other(charge: float) -> None:
    assert charge_at(cell_voltage_and_slope(charge)[0]) == pytest.approx(charge)
