# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The cells of a run and their order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from pqc_bench.cell.cell import CLEAN, OFF, Cell, link_profile
from pqc_bench.harness.usage import UsageFault, fault_of_usage


def choose_links(wanted: str) -> list[str]:
    """Return links separated by commas, a file by its whole path.

    UsageFault if one doesn't exist, or if two have the same name.
    """
    by_name: dict[str, str] = {}
    for part in dict.fromkeys(filter(None, wanted.split(","))):
        with fault_of_usage():
            profile = link_profile(part)
        if profile is None:
            link = CLEAN  # "none" is another word for it
        else:
            link = str(profile.absolute()) if profile == Path(part) else part
        name = Path(link).stem
        if by_name.setdefault(name, link) != link or (name == CLEAN) != (profile is None):
            raise UsageFault(f"--link has two links with the name '{name}'")
    if not by_name:
        raise UsageFault("--link names none")
    return list(by_name.values())


def plan(
    suites: Sequence[str],
    scenarios: Sequence[str],
    loads: Sequence[str],
    links: Sequence[str],
    seconds: float,
    link_seed: int = 1,
    policy: str = OFF,
    repeat: int = 1,
) -> list[Cell]:
    """Return all cells: suite by suite within a link, within a load, within a scenario.

    All are repeated together, so that a slow change of the machine affects every suite alike;
    `shuffled` draws the order within each repetition.
    """
    return [
        Cell(scenario, load, link, suite, seconds, link_seed, policy, repetition)
        for repetition in range(1, repeat + 1)
        for scenario in scenarios
        for load in loads
        for link in links
        for suite in suites
    ]


def shuffled(cells: Sequence[Cell], seed: int) -> list[Cell]:
    """Return the cells in the order that a seed draws: repetition by repetition, each by itself."""
    ordered: list[Cell] = []
    for repetition in sorted({cell.repetition for cell in cells}):
        block = [cell for cell in cells if cell.repetition == repetition]
        random.Random(f"{seed}/{repetition}").shuffle(block)
        ordered += block
    return ordered
