# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Sensors of electrical power: the kernel's hwmon, an INA219 on I²C, and RAPL energy counters."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pqc_policy.sensing.i2c import I2cDevice
from pqc_policy.sensing.ina219 import Ina219
from pqc_policy.sensing.sysfs import read_int, read_text

SOURCES = ("hwmon", "i2c", "rapl")


class PowerSensor(Protocol):
    """A sensor of the present power."""

    source: str  # one of SOURCES

    def power_w(self, time_s: float) -> float | None:
        """Return the power in W at a monotonic time; None if it is unknown."""

    def close(self) -> None:
        """Close the device."""


@dataclass
class Hwmon:
    """A sensor with a kernel driver, by its folder below /sys/class/hwmon."""

    folder: Path
    source: str = "hwmon"

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
    for folder in sorted((sys / "class" / "hwmon").glob("hwmon*")):
        if read_text(folder / "name") == name:
            sensor = Hwmon(folder)
            return sensor if sensor.power_w() is not None else None
    return None


@dataclass
class I2cPower:
    """An INA219 without a kernel driver."""

    device: I2cDevice
    sensor: Ina219
    source: str = "i2c"

    def power_w(self, time_s: float) -> float | None:
        """Return the power in W over the newest half millisecond."""
        measured = self.sensor.measure()
        return measured.power_w if measured is not None else None

    def close(self) -> None:
        """Close the bus."""
        self.device.close()


def find_i2c(bus: Path, address: int, shunt_ohm: float) -> I2cPower | None:
    """Return the INA219 at an address, measuring; None if it does not answer."""
    try:
        device = I2cDevice(bus, address)
    except OSError:
        return None
    sensor = Ina219(device.read_word, device.write_word, shunt_ohm)
    try:
        sensor.configure()
    except OSError:
        device.close()
        return None
    return I2cPower(device, sensor)


@dataclass
class Rapl:
    """The energy counter of a RAPL package below /sys/class/powercap."""

    folder: Path
    range_j: float  # at which the counter wraps
    source: str = "rapl"
    _before: tuple[float, float] | None = None  # time in s, counter in J

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
    """Return the first processor package; None if there is none."""
    for folder in sorted((sys / "class" / "powercap").glob("*-rapl:[0-9]")):
        range_uj = read_int(folder / "max_energy_range_uj")
        if range_uj is not None and read_int(folder / "energy_uj") is not None:
            return Rapl(folder, range_uj / 1e6)
    return None
