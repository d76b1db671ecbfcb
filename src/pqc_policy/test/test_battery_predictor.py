# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The predictor against discharges of another model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from pqc_policy.sensing.battery_predictor import BatteryPredictor, Pack, Prediction, Sample
from pqc_policy.sensing.open_circuit import cell_voltage, charge_at
from shepherd import Discharge

FLIGHTS = {
    "new": Discharge(),
    "cold": Discharge(temperature_c=5.0),
    "hot": Discharge(temperature_c=40.0),
    "gentle": Discharge(hover_a=10.0),
    "hard": Discharge(hover_a=26.0),
    "current read 3 % high": Discharge(current_error=0.03),
    "current read 3 % low": Discharge(current_error=-0.03),
}


def predictions(flight: Discharge, pack: Pack) -> Iterator[tuple[Prediction, float, float, float]]:
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


def worst_error(flight: Discharge, pack: Pack | None = None) -> float:
    """Return the largest error of the time left, as a share of the whole flight."""
    return max(
        abs((told.endurance_s or 0.0) - left_s) / end_s
        for told, _, left_s, end_s in predictions(flight, pack or Pack())
    )


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("name", FLIGHTS)
def test_time_left_is_within_13_percent_of_the_flight_from_80_to_20_percent(
    name: str, seed: int
) -> None:
    assert worst_error(replace(FLIGHTS[name], seed=seed)) < 0.13


def test_time_left_is_within_a_tenth_of_the_flight_in_most_flights() -> None:
    errors = [
        worst_error(replace(flight, seed=seed)) for flight in FLIGHTS.values() for seed in (1, 2)
    ]
    assert sum(error < 0.10 for error in errors) >= 0.75 * len(errors)


def test_a_pack_worn_by_a_tenth_is_predicted_within_15_percent_of_the_flight() -> None:
    worn = Discharge(capacity_ah=4.7, resistance_ohm=0.0055)
    assert worst_error(worn) < 0.15
    assert worst_error(worn, Pack(capacity_ah=4.7)) < 0.06


def test_the_charge_lies_within_two_sigma_most_of_the_time() -> None:
    inside = [
        abs(told.charge - charge) <= 2.0 * told.charge_sigma
        for flight in FLIGHTS.values()
        for told, charge, _, _ in predictions(flight, Pack())
    ]
    assert sum(inside) / len(inside) > 0.9


def test_a_resting_pack_is_read_from_its_voltage_and_has_no_time_left() -> None:
    predictor = BatteryPredictor(Pack(cells=6))
    estimate = predictor.start(Sample(0.0, 6 * 3.70, 0.0))
    first = predictor.predict(estimate).charge_sigma
    for second in range(1, 600):
        estimate = predictor.update(estimate, Sample(float(second), 6 * cell_voltage(0.6), 0.0))
    told = predictor.predict(estimate)
    assert told.charge == pytest.approx(0.6, abs=0.03)
    assert told.charge_sigma < first
    assert (told.endurance_s, told.endurance_sigma_s) == (None, None)


def test_uncertainty_grows_while_charge_is_counted_without_a_telling_voltage() -> None:
    predictor = BatteryPredictor(Pack())
    estimate = predictor.start(Sample(0.0, 15.6, 16.0))
    told = predictor.predict(estimate)
    assert told.endurance_s is not None and told.endurance_sigma_s is not None
    assert told.endurance_sigma_s > 0.0


def test_a_hard_discharge_empties_a_pack_faster_than_its_current_says() -> None:
    def left_s(current_a: float) -> float:
        predictor = BatteryPredictor(Pack(peukert=1.2, cell_resistance_ohm=1e-6))
        volts = 4 * cell_voltage(0.8)
        told = predictor.predict(predictor.start(Sample(0.0, volts, current_a)))
        assert told.endurance_s is not None
        return told.endurance_s

    assert left_s(10.0) / left_s(20.0) == pytest.approx(2**1.2, rel=1e-3)


def test_a_sample_that_is_not_newer_changes_nothing() -> None:
    predictor = BatteryPredictor(Pack())
    estimate = predictor.start(Sample(5.0, 15.6, 10.0))
    assert predictor.update(estimate, Sample(5.0, 14.0, 30.0)) is estimate


@pytest.mark.parametrize("charge", [0.0, 0.07, 0.5, 0.93, 1.0])
def test_charge_and_resting_voltage_belong_together(charge: float) -> None:
    assert charge_at(cell_voltage(charge)) == pytest.approx(charge)
