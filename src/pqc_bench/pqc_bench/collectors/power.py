# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The power collector: the sensors of the drone's sensing node, read by the same classes."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pqc_policy.sensing.computer.power_meter import PowerMeter, PowerPlaces, find_power

from pqc_bench.collectors.collector import Collector
from pqc_bench.collectors.sampled import sampled


class PowerCollector(Collector):
    """Power and energy of the machine, from INA219, hwmon or RAPL."""

    name = "power"

    def __init__(
        self,
        sys_root: Path = Path("/sys"),
        interval_s: float = 0.2,
        clock: Callable[[], float] = time.monotonic,
        trace: Path | None = None,
    ) -> None:
        """Take the folder in which sensors are searched, and the file for the power over time."""
        super().__init__(interval_s, clock)
        self._trace = trace
        self._places = PowerPlaces(sys_root=sys_root)

    def _begin(self) -> None:
        self._meter = PowerMeter(lambda: find_power(self._places))
        self._watts: list[float] = []
        self._times: list[float] = []
        self._there = self._meter.look()

    def _look(self) -> bool:
        if not self._there:
            return False
        now = self._clock()
        watts = self._meter.sample(now)
        if watts is None:
            return False
        self._watts.append(watts)
        self._times.append(now)
        return True

    def _result(self) -> dict[str, Any]:
        source = self._meter.source
        energy = self._meter.energy
        self._meter.lose()
        if source is None:
            return {"source": None}
        enough = len(self._times) > 1
        return {
            "source": source,
            "power_w": sampled(self._watts),
            "energy_j": energy.joules if enough else None,
            "seconds": self._times[-1] - self._times[0] if enough else None,
            "trace": self._write_trace() if enough else None,
        }

    def _write_trace(self) -> str | None:
        """Write each sample, with the time of day as the bag has it; return the file's name."""
        if self._trace is None:
            return None
        now_s, now_utc_s = self._clock(), time.time()
        with self._trace.open("w", encoding="ascii", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(("seconds", "utc_s", "power_w"))
            for at_s, watts in zip(self._times, self._watts, strict=True):
                utc_s = now_utc_s - (now_s - at_s)
                rows.writerow((f"{at_s - self._times[0]:.4f}", f"{utc_s:.4f}", f"{watts:.4f}"))
        return self._trace.name
