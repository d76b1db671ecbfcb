# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The sensors of a companion computer, as files like those of /sys."""

from __future__ import annotations

from pathlib import Path

from pqc_sim.pair.thermal_zone import ThermalZone

_TEMPERATURE_C = 55.0
_POWER_W = 4.3


class Sensors:
    """One of temperature and one of power below a folder, `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._zone = ThermalZone(root)
        self.measure()
        power = root / "class" / "hwmon" / "hwmon0"
        power.mkdir(parents=True)
        (power / "name").write_text("ina219\n", encoding="ascii")
        (power / "power1_input").write_text(f"{round(_POWER_W * 1e6)}\n", encoding="ascii")

    def measure(self) -> None:
        """Show a new measurement of the temperature, a little different from the one before."""
        self._zone.write(_TEMPERATURE_C)
