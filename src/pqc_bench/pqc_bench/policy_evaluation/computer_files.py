# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The computer of a simulated flight, as files like those of /proc and /sys.

It shows what the simulator gives its policy: temperature, load and throttling. Memory and frequency
stay unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pqc_sim.pair.thermal_zone import ThermalZone

_TICKS = 1000  # of all cores from one moment to the next


@dataclass(frozen=True)
class Moment:
    """The state of the computer, as an input of the policy."""

    temperature_c: float | None  # None: the sensor is silent
    load: float  # share of all cores, 0 to 1
    throttled: bool


class ComputerFiles:
    """Files below a folder, whose `proc` and `sys` a sensing node takes as its roots."""

    def __init__(self, root: Path) -> None:
        """Make a computer that has done nothing yet, without a temperature."""
        self.proc, self.sys = root / "proc", root / "sys"
        self._zone = ThermalZone(self.sys)
        self._cooler = self.sys / "class" / "thermal" / "cooling_device0"
        for folder in (self.proc, self._cooler):
            folder.mkdir(parents=True)
        (self._cooler / "type").write_text("cpufreq-cpu0\n", encoding="ascii")
        self._busy = self._idle = 0

    def show(self, moment: Moment) -> None:
        """Show a moment; its load is that since the previous one."""
        self._zone.write(moment.temperature_c)
        _replace(self._cooler / "cur_state", f"{moment.throttled:d}")
        busy = round(_TICKS * moment.load)
        self._busy, self._idle = self._busy + busy, self._idle + _TICKS - busy
        # User, nice, system, idle.
        _replace(self.proc / "stat", f"cpu  {self._busy} 0 0 {self._idle} 0 0 0 0 0 0")


def _replace(file: Path, line: str) -> None:
    """Write a line, at once and whole: the node reads at any time."""
    fresh = file.with_name(f"{file.name}.new")
    fresh.write_text(f"{line}\n", encoding="ascii")
    fresh.replace(file)
