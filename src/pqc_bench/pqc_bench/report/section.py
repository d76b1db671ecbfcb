# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parts of a page: sections of figures, and of tables with published ones beside them."""

from __future__ import annotations

from dataclasses import dataclass, field

from pqc_bench.report.charts import Chart
from pqc_bench.report.table import Table


@dataclass(frozen=True)
class Figure:
    """A chart, and a sentence computed from its data.

    Without data, `chart` is the reason for that.
    """

    title: str
    sentence: str
    chart: Chart | str
    note: str = ""
    # Takes a third of the width of the page.
    small: bool = False


@dataclass(frozen=True)
class Tabulated:
    """A table, and the ids of the published tables beside it."""

    title: str
    table: Table
    seeds: tuple[str, ...] = ()
    # Shown in place of a table without rows.
    empty: str = "The run has no data for this table."


@dataclass(frozen=True)
class Raw:
    """Other HTML."""

    html: str


@dataclass
class Section:
    """A heading of the page with its parts."""

    id: str
    title: str
    intro: str = ""
    parts: list[Figure | Tabulated | Raw] = field(default_factory=list)

    def tables(self) -> list[Table]:
        return [part.table for part in self.parts if isinstance(part, Tabulated)]
