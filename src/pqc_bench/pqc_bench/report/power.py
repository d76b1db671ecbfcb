# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The power of the drone's computer: its mean, and what a busy core adds to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from pqc_bench.report.analysis import median
from pqc_bench.report.intervals import Interval
from pqc_bench.report.run_data import Cell

# The earlier papers have a flight of 30 minutes with a rekey each minute.
MINUTES = 30.0
REKEYS = 30
_PATH = "p_power_energy.power_w.mean"
_CPU = "n_system_drone.machine_cpu_percent.mean"
_CORES = "a_run_context.cpu_cores"
# Cells whose busy cores differ by less do not show what a core adds.
_LEAST_SPAN = 0.2
_LEAST_CELLS = 4
# Nor does a slope of fewer standard errors.
_LEAST_ERRORS = 3.0


@dataclass(frozen=True)
class Power:
    """Measured power in W, and the source of its sensor; `cells` are those it was measured in."""

    watts: float
    source: str
    cells: list[Cell] = field(repr=False)


def power_of(cells: Sequence[Cell]) -> Power | None:
    """Return the median of the sensors' values; None without a sensor."""
    sensed = [cell for cell in cells if cell.get(_PATH) is not None]
    if not sensed:
        return None
    return Power(median([cell.get(_PATH) for cell in sensed]), _source(sensed), sensed)


def busy_core_power(cells: Sequence[Cell]) -> Power | None:
    """Return what a busy core adds: the slope of power over busy cores; None if none shows it.

    The marginal power of work is this, and not the mean power, which flows without the work too.
    """
    sensed = [c for c in cells if None not in (c.get(_PATH), c.get(_CPU), c.get(_CORES))]
    busy = [cell.get(_CPU) / 100.0 * cell.get(_CORES) for cell in sensed]
    if len(busy) < _LEAST_CELLS or max(busy) - min(busy) < _LEAST_SPAN:
        return None
    slope, error = _slope(busy, [cell.get(_PATH) for cell in sensed])
    return Power(slope, _source(sensed), sensed) if slope > _LEAST_ERRORS * error else None


def _source(sensed: Sequence[Cell]) -> str:
    return str(sensed[0].get("p_power_energy.source"))


def rekeys_j(cell: Cell, core: Power) -> float | None:
    """Return the energy of the drone's own work for the rekeys of a flight; None if not timed.

    Key generation and signature are work of the ground station.
    """
    return None if cell.drone_ms is None else _energy_j(cell.drone_ms, core)


def rekeys_interval(cell: Cell, core: Power) -> Interval | None:
    return cell.drone_spread and cell.drone_spread.map(lambda ms: _energy_j(ms, core))


def _energy_j(work_ms: float, core: Power) -> float:
    return REKEYS * core.watts * work_ms / 1000.0


def _slope(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float]:
    """Return the slope of the line of least squares, and its standard error."""
    (slope, _), covariance = np.polyfit(xs, ys, 1, cov=True)
    return float(slope), float(covariance[0, 0]) ** 0.5
