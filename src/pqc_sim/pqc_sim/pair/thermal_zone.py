# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The temperature sensor of a companion computer, as files like those of /sys."""

from __future__ import annotations

from pathlib import Path
from random import Random


class ThermalZone:
    """The first zone below a folder that a sensing node takes as its `sys_root`."""

    def __init__(self, sys_root: Path) -> None:
        """Make the zone, without a temperature yet."""
        self._noise = Random(1)
        self.folder = sys_root / "class" / "thermal" / "thermal_zone0"
        self.folder.mkdir(parents=True)
        (self.folder / "type").write_text("cpu-thermal\n", encoding="ascii")

    def write(self, temperature_c: float | None) -> None:
        """Show this temperature, at once and whole; None: the sensor is lost.

        The last digit is never still, as that of a real sensor.
        """
        file = self.folder / "temp"
        if temperature_c is None:
            file.unlink(missing_ok=True)
            return
        fresh = self.folder / "temp.new"
        fresh.write_text(
            f"{round(temperature_c * 1000) + self._noise.randrange(10)}\n", encoding="ascii"
        )
        fresh.replace(file)
