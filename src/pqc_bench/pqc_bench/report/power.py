# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The power for energy figures: from a sensor, otherwise from the published figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pqc_bench.report.analysis import median
from pqc_bench.report.run_data import Cell
from pqc_bench.report.seeds_data import power_w

_PATH = "p_power_energy.power_w.mean"


@dataclass(frozen=True)
class Power:
    """Mean power, in W; `cells` are those it was measured in."""

    watts: float
    measured: bool
    source: str
    cells: list[Cell] = field(repr=False)

    @property
    def basis(self) -> str:
        """Whether the power was measured, as a word for tables."""
        return "measured" if self.measured else "predicted"


def power_of(cells: Sequence[Cell], scenario: str) -> Power:
    """Return the median of the sensors' values, or the published figure for the scenario."""
    sensed = [cell for cell in cells if cell.get(_PATH) is not None]
    if sensed:
        watts = median([cell.get(_PATH) for cell in sensed])
        return Power(watts, True, str(sensed[0].get("p_power_energy.source")), sensed)
    watts, source = power_w(scenario)
    return Power(watts, False, source, [])
