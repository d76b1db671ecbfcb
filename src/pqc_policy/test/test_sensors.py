# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of temperature, power and energy from a tree of files like /sys."""

from __future__ import annotations

from pathlib import Path

import pytest
from pqc_policy.sensing.energy import Energy
from pqc_policy.sensing.ina219 import FAST_CONTINUOUS, Ina219
from pqc_policy.sensing.power_sensors import Hwmon, find_hwmon, find_rapl
from pqc_policy.sensing.thermal_zones import Zone, hottest, read_zones
from pqc_policy.sensing.trend import Trend


def put(root: Path, **files: str) -> None:
    root.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (root / name).write_text(text + "\n")


def test_the_hottest_zone_is_used(tmp_path: Path) -> None:
    thermal = tmp_path / "class" / "thermal"
    put(thermal / "thermal_zone0", type="cpu-thermal", temp="63812")
    put(thermal / "thermal_zone2", type="gpu-thermal", temp="65000")
    put(thermal / "thermal_zone10", temp="41000")
    put(thermal / "cooling_device0", type="fan")
    assert read_zones(tmp_path) == (
        Zone("cpu-thermal", 63.812),
        Zone("gpu-thermal", 65.0),
        Zone("thermal_zone10", 41.0),
    )
    assert hottest(read_zones(tmp_path)) == Zone("gpu-thermal", 65.0)


def test_zones_with_implausible_values_are_ignored(tmp_path: Path) -> None:
    thermal = tmp_path / "class" / "thermal"
    put(thermal / "thermal_zone0", temp="")
    put(thermal / "thermal_zone1", temp="-274000")
    put(thermal / "thermal_zone2", type="disabled")
    assert read_zones(tmp_path) == ()


def test_absent_hardware_gives_none_and_not_zero(tmp_path: Path) -> None:
    assert hottest(read_zones(tmp_path)) is None
    assert find_hwmon(tmp_path) is None
    assert find_rapl(tmp_path) is None
    assert Hwmon(tmp_path).power_w() is None


def test_an_ina219_is_found_by_its_name_and_read_in_watts(tmp_path: Path) -> None:
    put(tmp_path / "class" / "hwmon" / "hwmon0", name="cpu_thermal", power1_input="1")
    folder = tmp_path / "class" / "hwmon" / "hwmon1"
    put(folder, name="ina219", power1_input="3990000", in1_input="5100", curr1_input="700")
    sensor = find_hwmon(tmp_path)
    assert sensor is not None
    assert sensor.power_w() == pytest.approx(3.99)
    (folder / "power1_input").unlink()
    assert sensor.power_w() == pytest.approx(5.1 * 0.7)
    (folder / "curr1_input").unlink()
    assert sensor.power_w() is None


def test_a_rapl_counter_may_wrap(tmp_path: Path) -> None:
    folder = tmp_path / "class" / "powercap" / "intel-rapl:0"
    put(folder, energy_uj="262000000000", max_energy_range_uj="262143328850")
    put(tmp_path / "class" / "powercap" / "intel-rapl:0:0", energy_uj="1")
    counter = find_rapl(tmp_path)
    assert counter is not None
    assert counter.power_w(0.0) is None
    put(folder, energy_uj="56671150")
    assert counter.power_w(2.0) == pytest.approx(100.0)
    put(folder, energy_uj="59171150")
    assert counter.power_w(3.0) == pytest.approx(2.5)


def ina219(shunt: int, bus: int, written: list[tuple[int, int]] | None = None) -> Ina219:
    log = written if written is not None else []
    return Ina219({1: shunt, 2: bus}.__getitem__, lambda *words: log.append(words))


def test_the_ina219_registers_are_read_as_in_the_data_sheet() -> None:
    # 12.0 V (3000 steps of 4 mV), 50 mV over 0.1 ohm, and the same current in reverse.
    measured = ina219(5000, 3000 << 3 | 0x2).measure()
    assert measured is not None
    assert (measured.voltage_v, measured.current_a) == pytest.approx((12.0, 0.5))
    assert measured.power_w == pytest.approx(6.0)
    backwards = ina219(0x10000 - 5000, 3000 << 3).measure()
    assert backwards is not None
    assert backwards.current_a == pytest.approx(-0.5)


def test_an_ina219_that_is_out_of_range_or_absent_gives_none() -> None:
    assert ina219(0, 1).measure() is None

    def gone(_register: int) -> int:
        raise OSError("no such device")

    assert Ina219(gone, lambda *_: None).measure() is None


def test_an_ina219_is_set_to_measure_without_pause() -> None:
    written: list[tuple[int, int]] = []
    ina219(0, 0, written).configure()
    assert written == [(0, FAST_CONTINUOUS)]
    assert FAST_CONTINUOUS == 0x3917


def test_energy_is_summed_by_trapezoids() -> None:
    energy = Energy()
    assert energy.mean_w is None
    for step in range(1001):
        energy = energy.added(step / 1000.0, 4.0 + step / 500.0)
    assert energy.joules == pytest.approx(5.0)
    assert energy.mean_w == pytest.approx(5.0)


def test_a_gap_adds_no_energy() -> None:
    energy = Energy().added(0.0, 4.0).added(0.5, 4.0).added(60.0, 4.0).added(60.5, 4.0)
    assert (energy.joules, energy.seconds) == (4.0, 1.0)


def test_a_trend_is_the_slope_per_minute() -> None:
    trend = Trend()
    for second in range(40):
        trend = trend.pushed(float(second), 50.0 + second * 0.1 + (0.2 if second % 2 else -0.2))
    assert trend.per_minute() == pytest.approx(6.0, abs=0.1)
    assert len(trend.samples) == 31


def test_a_trend_over_too_short_a_time_is_unknown() -> None:
    assert Trend().per_minute() is None
    assert Trend().pushed(0.0, 1.0).pushed(1.0, 9.0).pushed(2.0, 1.0).per_minute() is None
    assert Trend().pushed(9.0, 1.0).pushed(1.0, 9.0).samples == ((1.0, 9.0),)
