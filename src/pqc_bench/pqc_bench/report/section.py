# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What a page consists of: sections of figures and of tables with published ones beside them."""

from __future__ import annotations

from dataclasses import dataclass, field

from pqc_bench.report.table import Table


@dataclass(frozen=True)
class Figure:
    """A chart, and one sentence that says what it shows, made from the data."""

    title: str
    sentence: str
    chart: str
    legend: str = ""
    # Takes a third of the page's width.
    small: bool = False


@dataclass(frozen=True)
class Tabulated:
    """A table, with what the seeds have of it, by the ids of their tables."""

    title: str
    table: Table
    seeds: tuple[str, ...] = ()
    # What stands in the place of a table without rows.
    empty: str = "There is nothing to tabulate."


@dataclass(frozen=True)
class Raw:
    """HTML that is neither."""

    html: str


@dataclass
class Section:
    """One heading of the page."""

    id: str
    title: str
    intro: str = ""
    parts: list[Figure | Tabulated | Raw] = field(default_factory=list)

    def tables(self) -> list[Table]:
        """Return its tables."""
        return [part.table for part in self.parts if isinstance(part, Tabulated)]
