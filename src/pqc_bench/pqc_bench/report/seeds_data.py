# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The published figures of the seeds, as data files with their sources."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

_FOLDER = "seeds"


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
