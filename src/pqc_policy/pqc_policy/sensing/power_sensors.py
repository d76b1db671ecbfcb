# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Electrical power from an INA219 behind the kernel's hwmon, and from RAPL counters."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pqc_policy.sensing.sysfs import read_int, read_text


@dataclass(frozen=True, slots=True)
class Hwmon:
    """A power sensor's folder below /sys/class/hwmon."""

    folder: Path

    def power_w(self) -> float | None:
        """Return the power; from voltage and current if the driver gives no power itself."""
        micro_w = read_int(self.folder / "power1_input")
        if micro_w is not None:
            return micro_w / 1e6
        # The INA219's in0 is the shunt, in1 the bus.
        milli_v = read_int(self.folder / "in1_input")
        milli_a = read_int(self.folder / "curr1_input")
        if milli_v is None or milli_a is None:
            return None
        return milli_v * milli_a / 1e6


def find_hwmon(sys: Path, name: str = "ina219") -> Hwmon | None:
    """Return the first sensor of this name; None if there is none."""
    for folder in sorted((sys / "class" / "hwmon").glob("hwmon*")):
        if read_text(folder / "name") == name:
            return Hwmon(folder)
    return None


@dataclass(frozen=True, slots=True)
class Rapl:
    """A RAPL package's energy counter below /sys/class/powercap."""

    folder: Path
    range_j: float  # where the counter starts again

    def energy_j(self) -> float | None:
        """Return the counter; None if it can't be read, which takes rights on many machines."""
        micro_j = read_int(self.folder / "energy_uj")
        return micro_j / 1e6 if micro_j is not None else None

    def used_j(self, before_j: float, after_j: float) -> float:
        """Return the energy between two readings less than one range apart."""
        return after_j - before_j + (self.range_j if after_j < before_j else 0.0)


def find_rapl(sys: Path) -> Rapl | None:
    """Return the first processor package; None if there is none."""
    for folder in sorted((sys / "class" / "powercap").glob("*-rapl:[0-9]")):
        range_uj = read_int(folder / "max_energy_range_uj")
        if range_uj is not None and read_int(folder / "energy_uj") is not None:
            return Rapl(folder, range_uj / 1e6)
    return None
