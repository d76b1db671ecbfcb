# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The computer's power from whatever sensor there is, and the energy it adds up to."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pqc_policy.parameters import parameter
from pqc_policy.sensing.energy import Energy
from pqc_policy.sensing.i2c import I2cDevice
from pqc_policy.sensing.ina219 import Ina219
from pqc_policy.sensing.power_sensors import Hwmon, Rapl, find_hwmon, find_rapl

SOURCES = ("hwmon", "i2c", "rapl")


class PowerSensor(Protocol):
    """Something that tells the power of this moment."""

    source: str  # one of SOURCES

    def power_w(self, time_s: float) -> float | None:
        """Return the power; None if it can't be told (yet)."""

    def close(self) -> None:
        """Let go of the device."""


@dataclass
class HwmonPower:
    """The kernel's driver measures."""

    hwmon: Hwmon
    source: str = "hwmon"

    def power_w(self, time_s: float) -> float | None:
        """Return the power, as new as the driver makes it."""
        return self.hwmon.power_w()

    def close(self) -> None:
        """Nothing is held."""


@dataclass
class I2cPower:
    """An INA219 without its driver."""

    device: I2cDevice
    sensor: Ina219
    source: str = "i2c"

    def power_w(self, time_s: float) -> float | None:
        """Return the power over the newest half millisecond."""
        measured = self.sensor.measure()
        return measured.power_w if measured is not None else None

    def close(self) -> None:
        """Let go of the bus."""
        self.device.close()


@dataclass
class RaplPower:
    """A processor's energy counter: the power is the mean since the reading before."""

    rapl: Rapl
    source: str = "rapl"
    _before: tuple[float, float] | None = None

    def power_w(self, time_s: float) -> float | None:
        """Return the mean power; None at the first reading."""
        joules = self.rapl.energy_j()
        before, self._before = self._before, None if joules is None else (time_s, joules)
        if joules is None or before is None or time_s <= before[0]:
            return None
        return self.rapl.used_j(before[1], joules) / (time_s - before[0])

    def close(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True)
class PowerPlaces:
    """Where to look for a power sensor."""

    sys_root: Path = parameter(
        Path("/sys"),
        "Folder in which the kernel shows temperatures and power sensors.",
        live=False,
        section="Temperature and power of this computer",
    )
    source: str = parameter(
        "auto",
        "Power sensor to read; auto: the first of hwmon, i2c and rapl that is there; none: do not "
        "measure.",
        choices=("auto", *SOURCES, "none"),
        live=False,
        name="power_source",
    )
    hwmon_name: str = parameter(
        "ina219",
        "Name that the kernel's driver gives the sensor.",
        live=False,
        name="power.hwmon_name",
    )
    i2c_bus: Path = parameter(
        Path("/dev/i2c-1"), "I²C bus of the sensor.", live=False, name="power.i2c_bus"
    )
    i2c_address: int = parameter(
        0x40,
        "I²C address of the sensor; 64 is 0x40.",
        low=3,
        high=119,
        live=False,
        name="power.i2c_address",
    )
    shunt_ohm: float = parameter(
        0.1,
        "Resistance of the sensor's shunt.",
        unit="Ω",
        low=1e-5,
        high=100.0,
        live=False,
        name="power.shunt_ohm",
    )


def find_power(places: PowerPlaces) -> PowerSensor | None:
    """Return the first sensor there is; None without one."""
    wanted = SOURCES if places.source == "auto" else (places.source,)
    for source, find in (("hwmon", _hwmon), ("i2c", _i2c), ("rapl", _rapl)):
        sensor = find(places) if source in wanted else None
        if sensor is not None:
            return sensor
    return None


def _hwmon(places: PowerPlaces) -> PowerSensor | None:
    hwmon = find_hwmon(places.sys_root, places.hwmon_name)
    return HwmonPower(hwmon) if hwmon is not None and hwmon.power_w() is not None else None


def _i2c(places: PowerPlaces) -> PowerSensor | None:
    try:
        device = I2cDevice(places.i2c_bus, places.i2c_address)
    except OSError:
        return None
    sensor = Ina219(device.read_word, device.write_word, places.shunt_ohm)
    try:
        sensor.configure()
    except OSError:
        device.close()
        return None
    return I2cPower(device, sensor)


def _rapl(places: PowerPlaces) -> PowerSensor | None:
    rapl = find_rapl(places.sys_root)
    return RaplPower(rapl) if rapl is not None else None


class PowerMeter:
    """Reads a sensor for whoever asks, one at a time, and adds up the energy.

    It may be asked from several threads. Times are in s, of a clock that only goes forward.
    """

    def __init__(self, find: Callable[[], PowerSensor | None]) -> None:
        self._find = find
        self._sensor: PowerSensor | None = None
        self._energy = Energy()
        self._lock = threading.Lock()

    @property
    def source(self) -> str | None:
        """The sensor's kind; None while there is none."""
        sensor = self._sensor
        return sensor.source if sensor is not None else None

    @property
    def energy(self) -> Energy:
        """What was used so far."""
        return self._energy

    def look(self) -> bool:
        """Look for a sensor unless there is one; tell whether there is one now."""
        with self._lock:
            if self._sensor is None:
                self._sensor = self._find()
            return self._sensor is not None

    def sample(self, time_s: float) -> float | None:
        """Read the power and add it up; None if the sensor gives none or is not there."""
        with self._lock:
            if self._sensor is None:
                return None
            watts = self._sensor.power_w(time_s)
            if watts is not None:
                self._energy = self._energy.added(time_s, watts)
            return watts

    def lose(self) -> None:
        """Let go of the sensor."""
        with self._lock:
            if self._sensor is not None:
                self._sensor.close()
                self._sensor = None
