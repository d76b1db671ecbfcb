# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The published figures of the seeds, as data files with their sources."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from statistics import median_high
from typing import Any

from pqc_bench.cell.scenario import paper_scenario

_FOLDER = "seeds"
_PI_4_SEED = "003"
_PI_CORES = 4
# The scenario that the seeds give the drone's power in: report 001, section 24.
BASELINE_POWER_W = 3.99
BASELINE_POWER_SOURCE = "benchmark report, section 24, Raspberry Pi 5"


@dataclass(frozen=True)
class SeedTable:
    """One table of a seed; rows have a value for each column."""

    id: str
    seed: str
    source: str
    place: str
    setting: str
    title: str
    columns: list[str]
    rows: list[list[Any]]
    note: str


@cache
def seed_tables() -> tuple[SeedTable, ...]:
    """Return all tables, those of the benchmark report first."""
    folder = resources.files(__package__) / _FOLDER
    found: list[SeedTable] = []
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".json"):
            content = json.loads(file.read_text(encoding="utf-8"))
            seed, source, setting = content["seed"], content["title"], content["setting"]
            found += [
                SeedTable(seed=seed, source=source, setting=setting, **table)
                for table in content["tables"]
            ]
    # Seed 001, the benchmark report, comes first.
    return tuple(sorted(found, key=lambda table: table.seed != "001"))


def seeds_of(table_id: str) -> list[SeedTable]:
    """Return the published tables to show beside one of ours."""
    return [table for table in seed_tables() if table.id == table_id]


def power_w(scenario: str) -> tuple[float, str]:
    """Return the published power of a drone's computer in a scenario, and its source."""
    if scenario == "baseline":
        return BASELINE_POWER_W, BASELINE_POWER_SOURCE
    power = _of_pi_4("power")
    watts = _median_w(power, paper_scenario(scenario))
    return watts, f"{power.source}, {power.place}, median, Raspberry Pi 4"


def core_w() -> tuple[float, str]:
    """Return what a busy core adds to the power of a drone's computer, in W, and its source.

    Two scenarios of seed 003 differ in power and in the use of the CPU: a rough figure.
    """
    power, usage = _of_pi_4("power"), _of_pi_4("usage")
    watts = _median_w(power, "heavy") - _median_w(power, "baseline")
    percent = {row[0]: row[usage.columns.index("CPU (%)")] for row in usage.rows}
    cores = _PI_CORES * (percent["heavy"] - percent["baseline"]) / 100.0
    source = f"{power.source}, {power.place} and {usage.place}, heavy beside baseline"
    return watts / cores, f"{source}, Raspberry Pi 4"


def _of_pi_4(table_id: str) -> SeedTable:
    (found,) = (table for table in seeds_of(table_id) if table.seed == _PI_4_SEED)
    return found


def _median_w(power: SeedTable, scenario: str) -> float:
    column = power.columns.index(f"{scenario} (W)")
    return median_high(row[column] for row in power.rows)
