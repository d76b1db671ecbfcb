# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
from pathlib import Path

import pytest
from pqc_policy.sensing.computer import power_sensors
from pqc_policy.sensing.computer.i2c import I2cDevice
from pqc_policy.sensing.computer.power_meter import PowerMeter, PowerPlaces, find_power
from test_sensors import CHIPS


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


class FalseI2c:
    """A device with registers in place of the one on the bus; notes what is written."""

    def __init__(self, registers: dict[int, int]) -> None:
        self.read_word = registers.__getitem__
        self.written: list[tuple[int, int]] = []
        self.closed = False

    def write_word(self, register: int, word: int) -> None:
        self.written.append((register, word))

    def close(self) -> None:
        self.closed = True


def on_the_bus(monkeypatch: pytest.MonkeyPatch, name: str) -> FalseI2c:
    device = FalseI2c(CHIPS[name][1])
    monkeypatch.setattr(power_sensors, "I2cDevice", lambda _bus, _address: device)
    return device


@pytest.mark.parametrize("name", CHIPS)
def test_the_search_writes_to_no_chip(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = on_the_bus(monkeypatch, name)
    sensor = find_power(places(tmp_path))
    assert device.written == []
    assert (sensor is not None) == (CHIPS[name][0] is not None)
    assert device.closed == (sensor is None)
    if sensor is not None:
        power_w = sensor.power_w(0.0)
        assert power_w is not None
        assert abs(power_w) == pytest.approx(5.1 * 0.07)
        assert sensor.place.endswith(f"at 0x40 of {tmp_path / 'no-bus'}")


@pytest.mark.parametrize("name", ["INA219 in power-down", "INA219 after power-on"])
def test_a_sensor_that_a_parameter_names_is_configured(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = on_the_bus(monkeypatch, name)
    assert find_power(places(tmp_path, "i2c")) is not None
    assert device.written == [(0, 0x3917)]


def test_an_ina226_that_a_parameter_names_is_not_taken_for_an_ina219(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = on_the_bus(monkeypatch, "INA226")
    sensor = find_power(places(tmp_path, "i2c"))
    assert sensor.power_w(0.0) == pytest.approx(5.1 * 0.07)
    assert device.written == []


def test_the_first_sensor_that_works_is_used_in_the_order_of_numbers(tmp_path: Path) -> None:
    folders = tmp_path / "class/hwmon"
    put(folders / "hwmon1", name="ina219")
    put(folders / "hwmon10", name="ina219", power1_input=10_000_000)
    put(folders / "hwmon2", name="ina219", power1_input=2_000_000)
    sensor = find_power(places(tmp_path, "hwmon"))
    assert sensor is not None and sensor.power_w(0.0) == 2.0
    packages = tmp_path / "class/powercap"
    put(packages / "intel-rapl:0", max_energy_range_uj=50_000_000)
    put(packages / "intel-rapl:2:0", energy_uj=1, max_energy_range_uj=50_000_000)
    for number in (10, 2):
        put(packages / f"intel-rapl:{number}", energy_uj=number, max_energy_range_uj=50_000_000)
    counter = find_power(places(tmp_path, "rapl"))
    assert counter is not None and counter.place.endswith("intel-rapl:2")


def test_a_sensor_is_its_device_and_not_the_number_that_another_may_get(tmp_path: Path) -> None:
    first = put(tmp_path / "devices/1-0040/hwmon/hwmon3", name="ina219", power1_input=4_000_000)
    links = put(tmp_path / "class/hwmon")
    (links / "hwmon3").symlink_to(first)
    sensor = find_power(places(tmp_path))
    assert sensor is not None and sensor.power_w(0.0) == 4.0
    first.rename(tmp_path / "gone")
    (links / "hwmon3").unlink()
    other = put(tmp_path / "devices/2-0040/hwmon/hwmon3", name="ina3221", power1_input=9_000_000)
    (links / "hwmon3").symlink_to(other)
    assert sensor.power_w(1.0) is None


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
