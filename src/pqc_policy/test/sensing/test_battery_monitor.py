# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from pqc_policy.sensing.battery.monitor import BatteryMonitor, Report
from pqc_policy.sensing.battery.predictor import BatteryPredictor, Pack
from pqc_policy.sensing.battery.reading import BatteryReading
from pqc_policy.sensing.source_fallback import SourceFallback
from shepherd import Discharge

Timed = tuple[float, BatteryReading]


def monitor() -> BatteryMonitor:
    return BatteryMonitor(BatteryPredictor(Pack()))


def reported(measured: list[Timed], begin: BatteryMonitor | None = None) -> list[Report]:
    monitored, reports = begin if begin is not None else monitor(), []
    for one in measured:
        monitored, report = monitored.taken(*one)
        if report is not None:
            reports.append(report)
    return reports


@pytest.mark.parametrize("volts", [0.011, 4.9, 5.2, 9.9, 18.1, 22.2, 25.2])
def test_a_voltage_that_the_cells_cannot_have_is_implausible(volts: float) -> None:
    why = BatteryReading(volts).implausible(4)
    assert why == f"{volts:.2f} V can't be of 4 cells (battery.cells)"


@pytest.mark.parametrize("volts", [10.0, 12.0, 14.0, 16.8, 17.4])
def test_a_voltage_that_the_cells_can_have_is_plausible_even_if_it_is_an_emergency(
    volts: float,
) -> None:
    assert BatteryReading(volts).implausible(4) == ""


@pytest.mark.parametrize(
    ("current_a", "armed", "known"),
    [
        *((16.5, True, True), (16.5, None, True), (16.5, False, True), (None, True, False)),
        *((-2.0, True, False), (-2.0, None, False), (-2.0, False, True)),
        *((0.0, True, False), (0.0, None, True), (0.0, False, True)),
    ],
)
def test_a_vehicle_that_may_fly_does_not_charge(
    current_a: float | None, armed: bool | None, known: bool
) -> None:
    reading = BatteryReading(14.2, current_a, 20.0).of_vehicle(armed)
    assert reading == BatteryReading(14.2, current_a if known else None, 20.0)


def test_a_flight_is_reported_with_rate_charge_and_time_left() -> None:
    flight = [
        (s.time_s, BatteryReading(s.voltage_v, s.current_a, s.temperature_c))
        for s, _ in Discharge().samples()
    ]
    reports = reported(flight)
    assert len(reports) == len(flight)
    middle = reports[len(reports) // 2]
    assert 0.4 < middle.prediction.charge < 0.65
    left_s = flight[-1][0] - middle.time_s
    assert middle.prediction.endurance_s == pytest.approx(left_s, rel=0.15)
    assert middle.rate_mv_per_min is not None
    assert -200.0 < middle.rate_mv_per_min < 0.0


def test_without_a_current_there_is_a_rate_but_no_prediction() -> None:
    reports = reported([(float(s), BatteryReading(16.0 - 0.001 * s)) for s in range(40)])
    assert {report.prediction for report in reports} == {None}
    assert reports[-1].rate_mv_per_min == pytest.approx(-60.0)


def test_a_current_that_comes_and_goes_is_used_when_it_is_there() -> None:
    measured = [(float(s), BatteryReading(16.0, 5.0 if s % 2 else None)) for s in range(20)]
    predicted = [report.prediction is not None for report in reported(measured)]
    assert predicted == [False, True] * 10


def test_measurements_that_arrive_too_fast_are_ignored() -> None:
    assert len(reported([(step / 50.0, BatteryReading(16.0, 5.0)) for step in range(500)])) <= 41


def flown(seconds: range, volts: float = 15.2, current_a: float | None = 16.0) -> list[Timed]:
    return [(float(s), BatteryReading(volts, current_a)) for s in seconds]


@pytest.mark.parametrize("late_s", [0.02, 0.9])
def test_a_late_measurement_is_ignored_and_the_estimate_is_kept(late_s: float) -> None:
    monitored = monitor()
    for one in flown(range(60)):
        monitored, _ = monitored.taken(*one)
    assert monitored.taken(59.0 - late_s, BatteryReading(15.2, 16.0)) == (monitored, None)
    monitored, report = monitored.taken(60.0, BatteryReading(15.2, 16.0))
    assert report is not None and report.rate_mv_per_min is not None
    assert monitored.estimate is not None and monitored.estimate.averaged_s > 60.0


def test_after_a_long_gap_in_the_current_the_charge_is_estimated_from_the_voltage_again() -> None:
    known_before = flown(range(60), 16.0, 4.0)
    unknown = flown(range(60, 1200), 15.4, None)
    after = reported([*known_before, *unknown, *flown(range(1200, 1205), 14.7, 4.0)])[-1]
    restarted = reported(flown(range(5), 14.7, 4.0))[-1]
    assert after.prediction == restarted.prediction


def test_a_short_gap_in_the_current_keeps_the_estimate() -> None:
    before, gap, after = range(60), range(60, 65), range(65, 70)
    with_gap = reported([*flown(before), *flown(gap, current_a=None), *flown(after)])[-1]
    without = reported(flown(range(70)))[-1]
    assert with_gap.prediction is not None and without.prediction is not None
    assert with_gap.prediction.charge == pytest.approx(without.prediction.charge, abs=0.002)


@pytest.mark.parametrize("next_s", [5.0, 500.0])
def test_another_pack_or_another_clock_resets_the_estimate(next_s: float) -> None:
    monitored = monitor()
    for second in range(100, 160):
        monitored, _ = monitored.taken(float(second), BatteryReading(14.2, 16.0))
    assert monitored.estimate is not None and monitored.estimate.charge < 0.3
    monitored, report = monitored.taken(next_s, BatteryReading(16.7, 0.3))
    assert report is not None and report.prediction is not None
    assert report.prediction.charge > 0.95
    assert report.rate_mv_per_min is None


def test_the_second_source_is_used_only_while_the_first_is_silent() -> None:
    sources = SourceFallback(silence_s=2.0)
    assert sources.second_counts("battery", 0.0)
    sources.first("battery", 10.0)
    assert not sources.second_counts("battery", 12.0)
    assert sources.second_counts("vehicle", 12.0)
    assert sources.second_counts("battery", 12.1)
    sources.first("battery", 13.0)
    assert not sources.second_counts("battery", 13.5)
