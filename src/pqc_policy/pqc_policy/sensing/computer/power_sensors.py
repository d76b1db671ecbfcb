# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors of electrical power: the kernel's hwmon, an INA219 or INA226 on I²C, and RAPL counters.

Each search takes the first that works. Numbers of devices change when one goes and comes back, so
that a sensor is its device, not its number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pqc_policy.sensing.computer.i2c import I2cDevice
from pqc_policy.sensing.computer.ina2xx import (
    CONFIGURATION,
    FAST_CONTINUOUS,
    INA219,
    Ina2xx,
    identify,
)
from pqc_policy.sensing.computer.sysfs import numbered, read_int, read_text

SOURCES = ("hwmon", "i2c", "rapl")
_PACKAGE = re.compile(r".*-rapl:\d+")


class PowerSensor(Protocol):
    """A sensor of the present power."""

    source: str  # one of SOURCES

    @property
    def place(self) -> str:
        """Its kind and place, for people."""

    def power_w(self, time_s: float) -> float | None:
        """Return the power in W at a monotonic time; None if it is unknown."""

    def close(self) -> None:
        """Close the device."""


@dataclass
class Hwmon:
    """A sensor with a kernel driver, by its folder below /sys/class/hwmon."""

    folder: Path
    source: str = "hwmon"

    @property
    def place(self) -> str:
        return f"{read_text(self.folder / 'name')} in {self.folder}"

    def power_w(self, time_s: float = 0.0) -> float | None:
        """Return the power in W, from voltage and current if the driver has no power itself."""
        micro_w = read_int(self.folder / "power1_input")
        if micro_w is not None:
            return micro_w / 1e6
        # The INA219's in0 is the shunt, in1 the bus.
        milli_v = read_int(self.folder / "in1_input")
        milli_a = read_int(self.folder / "curr1_input")
        if milli_v is None or milli_a is None:
            return None
        return milli_v * milli_a / 1e6

    def close(self) -> None:
        """Nothing to close."""


def find_hwmon(sys: Path, name: str = "ina219") -> Hwmon | None:
    """Return the first sensor of this name that has a value; None if there is none."""
    for folder in numbered(sys / "class" / "hwmon", "hwmon*"):
        sensor = Hwmon(folder.resolve())
        if read_text(folder / "name") == name and sensor.power_w() is not None:
            return sensor
    return None


@dataclass
class I2cPower:
    """An INA219 or INA226 without a kernel driver."""

    device: I2cDevice
    sensor: Ina2xx
    place: str
    source: str = "i2c"

    def power_w(self, time_s: float) -> float | None:
        """Return the power in W over the newest half millisecond."""
        measured = self.sensor.measure()
        return measured.power_w if measured is not None else None

    def close(self) -> None:
        self.device.close()


def find_i2c(bus: Path, address: int, shunt_ohm: float, *, named: bool) -> I2cPower | None:
    """Return the sensor at an address, measuring; None if there is none.

    One that is `named` counts as an INA219, and is configured, unless it is known as another chip.
    Else nothing is written, and what can't be identified is left alone.
    """
    try:
        device = I2cDevice(bus, address)
    except OSError:
        return None
    try:
        chip = identify(device.read_word)
        if named and chip in (INA219, None):
            chip = INA219
            device.write_word(CONFIGURATION, FAST_CONTINUOUS)
    except OSError:
        chip = None
    if chip is None:
        device.close()
        return None
    sensor = Ina2xx(device.read_word, shunt_ohm, chip)
    return I2cPower(device, sensor, f"{chip.name} at 0x{address:02x} of {bus}")


@dataclass
class Rapl:
    """The energy counter of a RAPL package below /sys/class/powercap."""

    folder: Path
    range_j: float  # at which the counter wraps
    source: str = "rapl"
    _before: tuple[float, float] | None = None  # time in s, counter in J

    @property
    def place(self) -> str:
        return str(self.folder)

    def power_w(self, time_s: float) -> float | None:
        """Return the mean power in W since the previous call; None at the first one.

        The counter may wrap once in between.
        """
        joules = self.energy_j()
        before, self._before = self._before, None if joules is None else (time_s, joules)
        if joules is None or before is None or time_s <= before[0]:
            return None
        used_j = joules - before[1] + (self.range_j if joules < before[1] else 0.0)
        return used_j / (time_s - before[0])

    def energy_j(self) -> float | None:
        """Return the counter in J; None if it can't be read, which needs root on many machines."""
        micro_j = read_int(self.folder / "energy_uj")
        return micro_j / 1e6 if micro_j is not None else None

    def close(self) -> None:
        """Nothing to close."""


def find_rapl(sys: Path) -> Rapl | None:
    """Return the first processor package that can be read; None if there is none."""
    for folder in numbered(sys / "class" / "powercap", "*-rapl:*"):
        if not _PACKAGE.fullmatch(folder.name):
            continue
        range_uj = read_int(folder / "max_energy_range_uj")
        if range_uj is not None and read_int(folder / "energy_uj") is not None:
            return Rapl(folder, range_uj / 1e6)
    return None
