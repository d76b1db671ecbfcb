# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Gives each cell of a run its part of a meter's file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from pqc_sim.processes.run_fault import RunFault

from pqc_bench.meter.alignment import align
from pqc_bench.meter.meter_file import read_meter
from pqc_bench.metrics.file import NAME as METRICS
from pqc_bench.metrics.file import read_metrics, write_metrics
from pqc_bench.metrics.nodes_and_machine import POWER, record_power
from pqc_bench.metrics.sheet import Sheet
from pqc_bench.power.capture import NAME as TRACE
from pqc_bench.power.cell_power import cell_power
from pqc_bench.power.marks import NAME as MARKS
from pqc_bench.power.marks import read_marks
from pqc_bench.power.pattern import NAME as PATTERNS
from pqc_bench.power.pattern import Patterns, bits, read_patterns
from pqc_bench.power.trace import Trace, TraceFault, write_trace

# Kept before and after the marks of a cell.
_MARGIN_S = 1.0
_WAYS = ("drone_to_gcs", "gcs_to_drone")


def import_meter(run: Path, file: Path, volts: float | None) -> int:
    """Write traces and energies into the cells; return 0 if the file covers all of them."""
    patterns = read_patterns(run / PATTERNS)
    try:
        meter = read_meter(file, volts)
        alignment = align(meter, bits(), patterns.step_s, patterns.begins_s)
    except TraceFault as fault:
        raise RunFault(str(fault)) from fault
    print(
        f"The meter's clock drifts by {alignment.drift_ppm:.1f} ppm; the pattern's correlation is"
        f" {alignment.correlation:.2f}."
    )
    whole = alignment.aligned(meter)
    uncovered = 0
    cells = sorted(run.glob(f"cells/**/{MARKS}"))
    for marks in cells:
        uncovered += not _into(marks.parent, whole, patterns)
    print(f"{len(cells) - uncovered} of {len(cells)} cells have their power.")
    return 1 if uncovered or not cells else 0


def _into(cell: Path, whole: Trace, patterns: Patterns) -> bool:
    """Write the power of a cell; return False if the file doesn't cover it."""
    marks = read_marks(cell / MARKS)
    if not patterns.same_clock(marks.utc_at_zero_s):
        return False
    begin_s = min(mark.begin_s for mark in marks.marks) - _MARGIN_S - whole.monotonic_s
    end_s = max(mark.end_s for mark in marks.marks) + _MARGIN_S - whole.monotonic_s
    within = (whole.seconds >= begin_s) & (whole.seconds <= end_s)
    if not np.any(within):
        return False
    at_s = whole.seconds[within]
    facts = dict(whole.facts)
    monotonic_s = whole.monotonic_s + at_s[0]
    facts |= {
        "monotonic_s": f"{monotonic_s:.9f}",
        "utc_s": f"{marks.utc_at_zero_s + monotonic_s:.6f}",
    }
    trace = Trace(at_s - at_s[0], whole.power_w[within], whole.missed[within], facts)
    write_trace(cell / TRACE, trace)
    metrics = read_metrics(cell / METRICS)
    write_metrics(cell / METRICS, with_power(metrics, cell_power(trace, marks)))
    return True


def with_power(metrics: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Return metrics with the category of power replaced."""
    delivered = sum(metrics["g_data_plane"][way]["delivered"] or 0 for way in _WAYS)
    sheet = Sheet()
    record_power(found, delivered, sheet)
    filled = sheet.finish("No source reported it.")
    status = {
        path: why
        for path, why in metrics["metric_status"].items()
        if not path.startswith(f"{POWER}.")
    } | {path: why for path, why in filled["metric_status"].items() if path.startswith(f"{POWER}.")}
    return {
        **metrics,
        POWER: filled[POWER],
        "metric_status": {path: status[path] for path in sorted(status)},
    }
