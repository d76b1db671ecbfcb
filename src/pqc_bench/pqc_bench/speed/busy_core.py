# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Measures how much more power a busy core takes than an idle one, by the power sensor."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev

from pqc_policy.sensing.computer.power_meter import PowerPlaces, find_power
from pqc_policy.sensing.computer.power_sensors import PowerSensor
from pqc_sim.processes.run_fault import RunFault

from pqc_bench.harness.neighbours import Neighbours

# Idle and busy windows in turn, so that a slow drift of the power affects both alike.
ROUNDS = 6
WINDOW_S, SETTLE_S, _SAMPLE_S = 3.0, 1.0, 0.2
# A difference of fewer standard errors is none.
_LEAST_ERRORS = 3.0


@dataclass(frozen=True)
class BusyCore:
    """Power in W, and the source of the sensor, one of power_sensors.SOURCES."""

    watts: float
    source: str


def measure_busy_core(sys_root: Path) -> BusyCore | str:
    """Return what a busy core takes, or a sentence: no sensor, or one that doesn't show it.

    `sys_root` is the folder in which the kernel shows power sensors. Takes ROUNDS times two windows
    on a computer that should do nothing else.
    """
    sensor = find_power(PowerPlaces(sys_root=sys_root))
    if sensor is None:
        return "This computer has no power sensor (INA219 or RAPL)"
    try:
        watts = busy_core_w(sensor, lambda: Neighbours(1))
    finally:
        sensor.close()
    if watts is None:
        return f"The power sensor {sensor.source} shows no busy core"
    return BusyCore(watts, sensor.source)


def busy_core_w(
    sensor: PowerSensor,
    work: Callable[[], AbstractContextManager[object]],
    clock: Callable[[], float] = time.monotonic,
    wait: Callable[[float], None] = time.sleep,
) -> float | None:
    """Return the power in W that `work`, a busy core, adds; None if the sensor doesn't show it.

    RunFault if the sensor gives no value.
    """

    def mean_w() -> float:
        wait(SETTLE_S)
        sensor.power_w(clock())  # an energy counter starts here
        end, samples = clock() + WINDOW_S, []
        while clock() < end:
            wait(_SAMPLE_S)
            samples.append(sensor.power_w(clock()))
        known = [watts for watts in samples if watts is not None]
        if not known:
            raise RunFault(f"the power sensor {sensor.source} gives no value")
        return fmean(known)

    more = []
    for _ in range(ROUNDS):
        idle_w = mean_w()
        with work():
            more.append(mean_w() - idle_w)
    watts, error_w = fmean(more), stdev(more) / ROUNDS**0.5
    return watts if watts > _LEAST_ERRORS * error_w else None
