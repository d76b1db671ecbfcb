# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The flights of `demo --flight`: what happens to drone and link while the policy decides."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from pqc_bench.bench.link import NO_LINK

_MODERATE = "cs-mlkem768-aesgcm-mldsa65"


@dataclass(frozen=True)
class DemoFlight:
    """The circumstances of a flight; times are in s from its start."""

    about: str
    seconds: float
    suite: str = _MODERATE  # to begin with
    link: str = NO_LINK
    rate_hz: int = 320
    charge_percent: float = 95.0
    capacity_mah: float = 5200.0
    temperatures: tuple[tuple[float, float], ...] = ((0.0, 52.0),)  # s, °C; straight in between
    sensor_lost_s: tuple[float, float] | None = None  # no temperature from, until
    crash_at_s: float | None = None  # of the drone's tunnel

    def temperature_c(self, at_s: float) -> float | None:
        """Return the computer's temperature in °C; None while the sensor is lost."""
        if self.sensor_lost_s and self.sensor_lost_s[0] <= at_s < self.sensor_lost_s[1]:
            return None
        later = bisect_right(self.temperatures, (at_s, float("inf")))
        if later == 0 or later == len(self.temperatures):
            return self.temperatures[max(later - 1, 0)][1]
        (before_s, before_c), (after_s, after_c) = self.temperatures[later - 1 : later + 1]
        return before_c + (after_c - before_c) * (at_s - before_s) / (after_s - before_s)


FLIGHTS = {
    "calm": DemoFlight("nothing happens; fresh keys once a minute", 75.0),
    "hot": DemoFlight(
        "the computer warms up fast, then gets too hot",
        60.0,
        suite="cs-classicmceliece460896-aesgcm-mldsa65",
        temperatures=((0.0, 58.0), (8.0, 58.0), (38.0, 66.0), (44.0, 84.0), (60.0, 84.0)),
    ),
    "sagging": DemoFlight(
        "a small battery sags, then is nearly empty", 60.0, charge_percent=24.0, capacity_mah=900.0
    ),
    "jammed": DemoFlight(
        "a jammer beside the ground station", 60.0, link="jammed-ground", rate_hz=16
    ),
    "flapping": DemoFlight("the link goes away again and again", 75.0, link="flapping"),
    "sensor_loss": DemoFlight(
        "the temperature sensor is lost for a while", 45.0, sensor_lost_s=(12.0, 28.0)
    ),
    "crash": DemoFlight("the drone's tunnel crashes and starts again", 40.0, crash_at_s=12.0),
    "long": DemoFlight("a quiet flight over several renewals of the keys", 260.0),
}
