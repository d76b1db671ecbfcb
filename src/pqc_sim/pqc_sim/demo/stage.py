# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What a flight of the demonstration does to the machine: its temperature, its tunnel."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from pqc_sim.demo.demo_flights import DemoFlight
from pqc_sim.pair.tunnel_launch import tunnel_nodes


class Stage:
    """Plays a flight's circumstances into files like those of /sys."""

    def __init__(self, flight: DemoFlight, sys_root: Path) -> None:
        """Set the scene for the time before the start."""
        self._flight = flight
        self._zone = sys_root / "class" / "thermal" / "thermal_zone0"
        self._zone.mkdir(parents=True)
        (self._zone / "type").write_text("cpu-thermal\n", encoding="ascii")
        self._crashed = False
        self.update(0.0)

    def update(self, at_s: float) -> None:
        """Bring everything to a time, in s from the flight's start."""
        temperature_c = self._flight.temperature_c(at_s)
        file = self._zone / "temp"
        if temperature_c is None:
            file.unlink(missing_ok=True)
            return
        fresh = self._zone / "temp.new"
        fresh.write_text(f"{round(temperature_c * 1000)}\n", encoding="ascii")
        fresh.replace(file)

    def crash_due(self, at_s: float) -> bool:
        """Tell, once, that the drone's tunnel is to crash now."""
        crash_at_s = self._flight.crash_at_s
        if self._crashed or crash_at_s is None or at_s < crash_at_s:
            return False
        self._crashed = True
        return True


def kill_drone_tunnel(launch_pid: int) -> bool:
    """Kill the drone's tunnel among what a launch has started; False if it isn't there."""
    pid = tunnel_nodes(launch_pid).get("drone")
    if pid is None:
        return False
    os.kill(pid, signal.SIGKILL)
    return True
