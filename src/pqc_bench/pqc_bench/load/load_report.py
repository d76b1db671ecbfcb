# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the report of a load beside the tunnel; any program may have written it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from pqc_sim.processes.summary_file import read_summary

FIGURES = (
    "seconds",
    "target_cpu_percent",
    "reached_cpu_percent",
    "waited_cpu_percent",
    "target_memory_mib",
    "reached_memory_mib",
)


def read_load_report(path: Path) -> dict[str, Any] | None:
    """Return the figures, each None if it is no number, and `faults`; None without a report."""
    try:
        summary = read_summary(path)
    except (OSError, ValueError):
        return None
    if summary is None:
        return None
    faults = summary.get("faults")
    return {
        **{name: _figure(summary.get(name)) for name in FIGURES},
        "faults": [str(fault) for fault in faults] if isinstance(faults, list) else [],
    }


def _figure(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        figure = float(value)
    except OverflowError:
        return None
    return figure if math.isfinite(figure) else None
