# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The load `blaster`: pqc_blaster at both ends, with its report in the form of all loads."""

from __future__ import annotations

import select
from typing import Any

from pqc_bench.cell.control import Control
from pqc_bench.harness.blaster import DIRECTIONS, Applications, Blaster

_WAIT_S = 0.05
_WINDOWS = 64


class BlasterLoad:
    """Runs pqc_blaster and forwards control commands to it."""

    def __init__(self, where: Applications, rate: int, size: int) -> None:
        """Prepare; `run` starts the program."""
        self._where = where
        self._rate = rate
        self._size = size
        self._blaster: Blaster | None = None

    def open_window(self, name: str) -> None:
        """Count datagrams sent from now on under this name."""
        assert self._blaster is not None
        self._blaster.open_window(name)

    def run(self, control: Control) -> dict[str, Any]:
        """Send until `control` stops the load; return the report."""
        with Blaster(self._where, self._rate, self._size, _WINDOWS) as blaster:
            self._blaster = blaster
            while not control.stopped(self):
                select.select(control.sources(), [], [], _WAIT_S)
            return as_load_report(blaster.finish())


def as_load_report(report: dict[str, Any]) -> dict[str, Any]:
    """Return pqc_blaster's report in the form that all loads report in."""
    ways = report["directions"]
    return {
        "load": "blaster",
        "seconds": report["seconds"],
        "real_time": report["real_time"],
        "flows": {way: _flow(ways[way], report) for way in DIRECTIONS},
        "latency": {way: _latency(ways[way]["latency_ms"]) for way in DIRECTIONS},
        "round_trip": None,
        "windows": _windows(report["windows"]),
        "mavlink": None,
    }


def _flow(way: dict[str, Any], report: dict[str, Any]) -> dict[str, Any]:
    return {
        "asked": round(report["rate"] * report["seconds"]),
        "offered": way["sent"],
        "offered_bytes": way["sent"] * report["size"],
        "delivered": way["received"],
        "lost": way["lost"],
        "duplicated": way["duplicated"],
        "reordered": way["reordered"],
        "corrupted": way["corrupted"],
        "longest_gap_ms": way["longest_gap_ms"],
        "receiver_drops": way["receiver_drops"],
        "slips": way["slips"],
        "skipped": way["skipped"],
        "refused": way["refused"],
    }


def _latency(figures: dict[str, Any]) -> dict[str, Any]:
    return {
        "count": figures["count"],
        "min_ms": figures.get("shortest"),
        "mean_ms": figures.get("mean"),
        "p50_ms": figures["p50"],
        "p95_ms": figures.get("p95"),
        "p99_ms": figures["p99"],
        "max_ms": figures["longest"],
        "jitter_ms": None,
    }


def _windows(windows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the windows by name; the window before the first command is part of `steady`."""
    joined: dict[str, dict[str, Any]] = {}
    for window in windows:
        known = joined.setdefault(window["name"] or "steady", {})
        for way in DIRECTIONS:
            before = known.get(way, {"sent": 0, "lost": 0, "longest_gap_ms": 0.0})
            known[way] = {
                "sent": before["sent"] + window[way]["sent"],
                "lost": before["lost"] + window[way]["lost"],
                "longest_gap_ms": max(before["longest_gap_ms"], window[way]["longest_gap_ms"]),
            }
    return joined
