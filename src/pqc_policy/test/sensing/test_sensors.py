# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
from pqc_policy.sensing.computer.energy import Energy
from pqc_policy.sensing.computer.ina2xx import (
    FAST_CONTINUOUS,
    INA219,
    INA226,
    Chip,
    Ina2xx,
    identify,
)
from pqc_policy.sensing.computer.power_sensors import Hwmon, find_hwmon, find_rapl
from pqc_policy.sensing.computer.thermal_zones import ThermalZones
from pqc_policy.sensing.trend import Trend


def put(root: Path, **files: str) -> None:
    root.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (root / name).write_text(text + "\n")


def test_absent_hardware_gives_none_and_not_zero(tmp_path: Path) -> None:
    assert ThermalZones(tmp_path).hottest() is None
    assert find_hwmon(tmp_path) is None
    assert find_rapl(tmp_path) is None
    assert Hwmon(tmp_path).power_w() is None


def test_an_ina219_is_found_by_its_name_and_read_in_watts(tmp_path: Path) -> None:
    put(tmp_path / "class" / "hwmon" / "hwmon0", name="cpu_thermal", power1_input="1")
    folder = tmp_path / "class" / "hwmon" / "hwmon1"
    put(folder, name="ina219", power1_input="3990000", in1_input="5100", curr1_input="700")
    sensor = find_hwmon(tmp_path)
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
    assert counter.power_w(0.0) is None
    put(folder, energy_uj="56671150")
    assert counter.power_w(2.0) == pytest.approx(100.0)
    put(folder, energy_uj="59171150")
    assert counter.power_w(3.0) == pytest.approx(2.5)


def ina(chip: Chip, shunt: int, bus: int) -> Ina2xx:
    return Ina2xx({1: shunt, 2: bus}.__getitem__, chip=chip)


def test_the_registers_are_read_as_in_the_data_sheets() -> None:
    # 12.0 V, 50 mV over 0.1 ohm, and the same current in reverse.
    for chip, shunt, bus in ((INA219, 5000, 3000 << 3 | 0x2), (INA226, 20000, 9600)):
        measured = ina(chip, shunt, bus).measure()
        assert (measured.voltage_v, measured.current_a) == pytest.approx((12.0, 0.5))
        assert measured.power_w == pytest.approx(6.0)
        backwards = ina(chip, 0x10000 - shunt, bus).measure()
        assert backwards.current_a == pytest.approx(-0.5)


def test_a_sensor_that_is_out_of_range_or_absent_gives_none() -> None:
    assert ina(INA219, 0, 1).measure() is None
    assert ina(INA226, 0x7FFF, 9600).measure() is None
    assert ina(INA226, 0x8000, 9600).measure() is None

    def gone(_register: int) -> int:
        raise OSError("no such device")

    assert Ina2xx(gone).measure() is None


def test_an_ina219_is_set_to_measure_without_pause() -> None:
    assert FAST_CONTINUOUS == 0x3917


# Registers by number, most significant byte first.
CHIPS: dict[str, tuple[Chip | None, dict[int, int]]] = {
    "INA219 after power-on": (INA219, {0: 0x399F, 1: 700, 2: 1275 << 3 | 2, 3: 0, 4: 0, 5: 0}),
    "INA219 of a library": (INA219, {0: 0x399F, 1: 700, 2: 1275 << 3, 3: 179, 4: 701, 5: 4096}),
    "INA219 that charges": (
        INA219,
        {0: 0x3917, 1: 0x10000 - 700, 2: 1275 << 3, 4: 0x10000 - 690, 5: 4096},
    ),
    "INA219 in power-down": (None, {0: 0x3998, 1: 700, 2: 1275 << 3, 3: 0, 4: 0, 5: 0}),
    "INA219 without a supply": (None, {0: 0x399F, 1: 0, 2: 2, 3: 0, 4: 0, 5: 0}),
    "INA226": (INA226, {0: 0x4127, 1: 2800, 2: 4080, 0xFE: 0x5449, 0xFF: 0x2260}),
    "INA226 of a library": (INA226, {0: 0x4527, 1: 2800, 2: 4080, 0xFE: 0x5449, 0xFF: 0x2261}),
    "INA230": (None, {0: 0x4127, 1: 2800, 2: 4080, 0xFE: 0x5449, 0xFF: 0x2300}),
    "PCA9685 after power-on": (
        None,
        {0: 0x1111, 1: 0x0404, 2: 0xE2E2, 3: 0xE4E4, 4: 0xE8E8, 5: 0xE0E0},
    ),
    "PCA9685 that drives": (
        None,
        {0: 0x2104, 1: 0x04E2, 2: 0xE2E4, 3: 0xE4E8, 4: 0xE8E0, 5: 0xE000, 0xFE: 0x7900},
    ),
    "PCA9685 with all addresses": (
        None,
        {0: 0x0707, 1: 0x0404, 2: 0xE2E2, 3: 0xE4E4, 4: 0xE8E8, 5: 0xE0E0},
    ),
    "HDC1080": (None, {0: 0x6C58, 1: 0x7EF8, 2: 0x1000, 0xFE: 0x5449, 0xFF: 0x1050}),
    "a bus that is held high": (None, dict.fromkeys((*range(6), 0xFE, 0xFF), 0xFFFF)),
    "a bus that is held low": (None, dict.fromkeys((*range(6), 0xFE, 0xFF), 0)),
}


@pytest.mark.parametrize("name", CHIPS)
def test_chips_at_the_same_address_are_told_apart_by_reading(name: str) -> None:
    chip, registers = CHIPS[name]
    assert identify(registers.__getitem__) is chip


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
