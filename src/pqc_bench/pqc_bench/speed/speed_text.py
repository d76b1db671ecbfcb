# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The times of the primitives as text."""

from __future__ import annotations

from typing import Any

from pqc_bench.harness.text import columns

_PERCENTILES = ("median", "p5", "p25", "p75", "p95", "max")
_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))


def lines(report: dict[str, Any]) -> list[str]:
    """Return a table of a report of pqc_speed: medians with their spread, and what was cut."""
    rows = [("algorithm", "operation", "timed", *_PERCENTILES, "")]
    subjects = [*report["kems"], *report["signatures"], *report["aeads"]]
    for subject in subjects:
        for one in subject["operations"]:
            size = f" {one['text_bytes']} B" if "text_bytes" in one else ""
            times = (_time(one[f"{name}_ns"] if one["samples"] else None) for name in _PERCENTILES)
            timed, cut = str(one["operations_timed"]), "cut" if one["cut"] else ""
            rows.append((subject["name"], f"{one['operation']}{size}", timed, *times, cut))
    missing = [f"  {one['name']}: {one['reason']}" for one in subjects if not one["available"]]
    return [*columns(rows, left=2), *missing, f"  {report['rounds']} rounds"]


def _time(nanoseconds: float | None) -> str:
    if nanoseconds is None:
        return "-"
    size, unit = next((one for one in _UNITS if nanoseconds >= one[0]), _UNITS[-1])
    return f"{nanoseconds / size:.3g} {unit}"
