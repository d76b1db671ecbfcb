# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The flights of `demo --flight`: conditions that the policy reacts to."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path

from pqc_sim.pair.thermal_zone import ThermalZone
from pqc_sim.pair.tunnel_launch import tunnel_nodes
from pqc_sim.physics.timeline import Timeline, line, steady

_MODERATE = "cs-mlkem768-aesgcm-mldsa65"
_WARM = steady(52.0)


@dataclass(frozen=True)
class DemoFlight:
    """The conditions of a flight; times are in s from its start."""

    about: str
    seconds: float
    subject: str  # the values that the live view shows; see subject_text
    suite: str | None = _MODERATE  # suite of the first handshake; None: the default
    link: str = "none"
    rate_hz: int = 320
    charge_percent: float = 95.0
    capacity_mah: float = 5200.0
    temperatures: Timeline = _WARM  # °C
    sensor_lost_s: tuple[float, float] | None = None  # no temperature from, until
    crash_at_s: float | None = None  # when the drone's tunnel crashes

    def temperature_c(self, at_s: float) -> float | None:
        """Return the computer's temperature in °C; None while the sensor is lost."""
        if self.sensor_lost_s and self.sensor_lost_s[0] <= at_s < self.sensor_lost_s[1]:
            return None
        return self.temperatures.at(at_s)


FLIGHTS = {
    "calm": DemoFlight("no disturbance; fresh keys once a minute", 75.0, "key age"),
    "hot": DemoFlight(
        "the computer gets too hot",
        60.0,
        "heat",
        suite="cs-classicmceliece460896-aesgcm-mldsa65",
        temperatures=line((0.0, 58.0), (8.0, 58.0), (24.0, 84.0), (60.0, 84.0)),
    ),
    "sagging": DemoFlight(
        "a small battery sags, then is nearly empty",
        60.0,
        "battery",
        charge_percent=24.0,
        capacity_mah=900.0,
    ),
    "jammed": DemoFlight(
        "after 40 s a jammer starts beside the ground station",
        75.0,
        "advisor",
        link="jammed-ground",
        rate_hz=16,
    ),
    "flapping": DemoFlight("the link goes away again and again", 75.0, "outages", link="flapping"),
    "sensor_loss": DemoFlight(
        "the temperature sensor is lost for a while", 45.0, "heat", sensor_lost_s=(12.0, 28.0)
    ),
    "crash": DemoFlight(
        "the drone's tunnel crashes and starts again", 40.0, "outages", crash_at_s=12.0
    ),
    "long": DemoFlight("a quiet flight over several renewals of the keys", 260.0, "key age"),
}


class FlightConditions:
    """Applies the conditions of a flight: the temperature, in files like those of /sys."""

    def __init__(self, flight: DemoFlight, sys_root: Path) -> None:
        self._flight = flight
        self._zone = ThermalZone(sys_root)
        self._crashed = False
        self.update(0.0)

    def update(self, at_s: float) -> None:
        """Write the files as of a time, in s from the start."""
        self._zone.write(self._flight.temperature_c(at_s))

    def crash_due(self, at_s: float) -> bool:
        """Return, once, that the drone's tunnel is to crash now."""
        crash_at_s = self._flight.crash_at_s
        if self._crashed or crash_at_s is None or at_s < crash_at_s:
            return False
        self._crashed = True
        return True


def kill_drone_tunnel(launch_pid: int) -> bool:
    """Kill the drone's tunnel that a launch has started; False if there is none."""
    pid = tunnel_nodes(launch_pid).get("drone")
    if pid is None:
        return False
    os.kill(pid, signal.SIGKILL)
    return True
