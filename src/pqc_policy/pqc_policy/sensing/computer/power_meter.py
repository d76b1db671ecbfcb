# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Measures the computer's power with the sensor that is available, and sums up the energy."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pqc_policy.parameters import parameter
from pqc_policy.sensing.computer.energy import Energy
from pqc_policy.sensing.computer.power_sensors import (
    SOURCES,
    PowerSensor,
    find_hwmon,
    find_i2c,
    find_rapl,
)


@dataclass(frozen=True)
class PowerPlaces:
    """The places where a power sensor may be."""

    sys_root: Path = parameter(
        Path("/sys"),
        "Folder in which the kernel shows temperatures and power sensors.",
        live=False,
        section="Temperature and power of this computer",
    )
    source: str = parameter(
        "auto",
        "Power sensor to read; auto: the first that works, on I²C only an INA219 or INA226 that is "
        "recognised without writing to it; i2c: an INA219, which is configured.",
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
        "",
        3,
        119,
        live=False,
        name="power.i2c_address",
    )
    shunt_ohm: float = parameter(
        0.1,
        "Resistance of the sensor's shunt.",
        "Ω",
        1e-5,
        100.0,
        live=False,
        name="power.shunt_ohm",
    )


def find_power(places: PowerPlaces) -> PowerSensor | None:
    """Return the first sensor that works; None if there is none."""
    finders: dict[str, Callable[[], PowerSensor | None]] = {
        "hwmon": lambda: find_hwmon(places.sys_root, places.hwmon_name),
        "i2c": lambda: find_i2c(
            places.i2c_bus, places.i2c_address, places.shunt_ohm, named=places.source == "i2c"
        ),
        "rapl": lambda: find_rapl(places.sys_root),
    }
    wanted = SOURCES if places.source == "auto" else (places.source,)
    found = (find() for source, find in finders.items() if source in wanted)
    return next((sensor for sensor in found if sensor is not None), None)


class PowerMeter:
    """Reads a sensor and sums up the energy; thread-safe. Times are in s, of a monotonic clock."""

    def __init__(self, find: Callable[[], PowerSensor | None]) -> None:
        self._find = find
        self._sensor: PowerSensor | None = None
        self._energy = Energy()
        self._lock = threading.Lock()

    @property
    def source(self) -> str | None:
        """The sensor's source, one of SOURCES; None without a sensor."""
        sensor = self._sensor
        return sensor.source if sensor is not None else None

    @property
    def place(self) -> str:
        """The kind and place of the sensor; empty without one."""
        sensor = self._sensor
        return sensor.place if sensor is not None else ""

    @property
    def energy(self) -> Energy:
        return self._energy

    def look(self) -> bool:
        """Look for a sensor if there is none; return whether there is one."""
        with self._lock:
            if self._sensor is None:
                self._sensor = self._find()
            return self._sensor is not None

    def sample(self, time_s: float) -> float | None:
        """Read the power and add its energy; None without a sensor or a value."""
        with self._lock:
            if self._sensor is None:
                return None
            watts = self._sensor.power_w(time_s)
            if watts is not None:
                self._energy = self._energy.added(time_s, watts)
            return watts

    def lose(self) -> None:
        with self._lock:
            if self._sensor is not None:
                self._sensor.close()
                self._sensor = None
