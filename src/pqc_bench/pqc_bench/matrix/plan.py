# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The cells of a run and their order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from pqc_bench.cell.cell import CLEAN, Cell, link_profile
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


def shuffled(cells: Sequence[Cell], seed: int) -> list[Cell]:
    """Return the cells in the order that a seed draws: repetition by repetition, each by itself."""
    ordered: list[Cell] = []
    for repetition in sorted({cell.repetition for cell in cells}):
        block = [cell for cell in cells if cell.repetition == repetition]
        random.Random(f"{seed}/{repetition}").shuffle(block)
        ordered += block
    return ordered
