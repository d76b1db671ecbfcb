# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the power meter: its sensors are found in a tree of files, lost and found again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pqc_policy.sensing.i2c import I2cDevice
from pqc_policy.sensing.power_meter import PowerMeter, PowerPlaces, find_power


def put(root: Path, **files: object) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (root / name).write_text(f"{text}\n")
    return root


def hwmon(root: Path, milli_w: int = 4000) -> Path:
    return put(root / "class/hwmon/hwmon3", name="ina219", power1_input=milli_w * 1000)


def rapl(root: Path, micro_j: int = 1_000_000) -> Path:
    return put(
        root / "class/powercap/intel-rapl:0", energy_uj=micro_j, max_energy_range_uj=50_000_000
    )


def places(root: Path, source: str = "auto") -> PowerPlaces:
    return PowerPlaces(source=source, sys_root=root, i2c_bus=root / "no-bus")


def test_the_boards_sensor_takes_precedence_over_the_processors_counter(tmp_path: Path) -> None:
    assert find_power(places(tmp_path)) is None
    rapl(tmp_path)
    first = find_power(places(tmp_path))
    assert first is not None and first.source == "rapl"
    hwmon(tmp_path)
    second = find_power(places(tmp_path))
    assert second is not None and second.source == "hwmon"


@pytest.mark.parametrize(("source", "found"), [("hwmon", "hwmon"), ("rapl", "rapl"), ("i2c", None)])
def test_only_the_configured_source_is_used(source: str, found: str | None, tmp_path: Path) -> None:
    hwmon(tmp_path)
    rapl(tmp_path)
    sensor = find_power(places(tmp_path, source))
    assert (sensor.source if sensor is not None else None) == found


def test_a_file_that_is_not_a_bus_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "bus").write_text("")
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(OSError):
        I2cDevice(tmp_path / "bus", 0x40)
    assert len(os.listdir("/proc/self/fd")) == before


def test_energy_adds_up_over_readings(tmp_path: Path) -> None:
    folder = hwmon(tmp_path, 4000)
    meter = PowerMeter(lambda: find_power(places(tmp_path)))
    assert meter.sample(0.0) is None
    assert meter.look()
    for step in range(11):
        if step == 5:
            put(folder, power1_input=6_000_000)
        assert meter.sample(step / 10.0) == (4.0 if step < 5 else 6.0)
    assert meter.energy.joules == pytest.approx(0.4 * 4 + 0.5 + 0.5 * 6)
    assert meter.source == "hwmon"


def test_a_counter_gives_power_from_its_second_reading_on(tmp_path: Path) -> None:
    rapl(tmp_path, 49_000_000)
    meter = PowerMeter(lambda: find_power(places(tmp_path)))
    assert meter.look()
    assert meter.sample(0.0) is None
    rapl(tmp_path, 500_000)  # the counter has restarted at 50 J
    assert meter.sample(0.5) == pytest.approx(3.0)
    rapl(tmp_path, 1_500_000)
    assert meter.sample(1.0) == pytest.approx(2.0)


def test_a_lost_sensor_can_be_found_again(tmp_path: Path) -> None:
    folder = hwmon(tmp_path)
    meter = PowerMeter(lambda: find_power(places(tmp_path)))
    assert meter.look() and meter.sample(0.0) == 4.0
    (folder / "power1_input").unlink()
    assert meter.sample(0.1) is None
    meter.lose()
    assert not meter.look()
    assert meter.source is None
    hwmon(tmp_path)
    assert meter.look() and meter.sample(60.0) == 4.0
    assert meter.sample(60.5) == 4.0
    assert meter.energy.joules == pytest.approx(2.0)
