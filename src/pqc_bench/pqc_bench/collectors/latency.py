# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The latency collector: the clock comparison of the tunnels, from the LinkReport of the drone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pqc_bench.collectors.collector import Collector

_MS_PER_S = 1000.0


class LatencyCollector(Collector):
    """Keeps each valid report once; `newest` returns the newest one as a dictionary, or None."""

    name = "latency"

    def __init__(self, newest: Callable[[], dict[str, Any] | None]) -> None:
        """Take the source of reports, which arrive once a second."""
        super().__init__(interval_s=1.0)
        self._newest = newest

    def _begin(self) -> None:
        self._reports: list[dict[str, Any]] = []

    def _look(self) -> bool:
        report = self._newest()
        if report is None or not report["clock_valid"]:
            return False
        if self._reports and report["stamp"] == self._reports[-1]["stamp"]:
            return False
        self._reports.append(report)
        return True

    def _result(self) -> dict[str, Any]:
        if not self._reports:
            return {"valid": False, "samples": 0}
        last = self._reports[-1]
        return {
            "valid": True,
            "samples": len(self._reports),
            "rtt_ms": last["rtt_s"] * _MS_PER_S,
            "delay_to_peer_ms": last["delay_to_peer_s"] * _MS_PER_S,
            "delay_from_peer_ms": last["delay_from_peer_s"] * _MS_PER_S,
            "clock_offset_ms": last["clock_offset_s"] * _MS_PER_S,
            "clock_error_ms": last["clock_error_s"] * _MS_PER_S,
            "clock_drift_ppm": last["clock_drift_ppm"],
        }
