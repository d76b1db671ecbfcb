# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Failures and flags of the run, and the cells behind every figure."""

from __future__ import annotations

from html import escape

from pqc_bench.report.context import Context
from pqc_bench.report.number_text import short
from pqc_bench.report.section import Raw, Section, Tabulated
from pqc_bench.report.table import Column, Table, Value


def health(context: Context) -> Section:
    """Return the cells that are not in the figures, and the flags of the others."""
    troubles = Table(
        "not_in_the_figures",
        [Column("cell", "cell"), Column("status", "status"), Column("reason", "reason")],
    )
    for trouble in context.run.troubles:
        folder = context.file_link(context.run.folder / "cells" / trouble.cell)
        troubles.add(Value(trouble.cell, folder), Value(trouble.status), Value(trouble.reason))
    flags = Table(
        "flags", [Column("cell", "cell"), Column("flag", "flag"), Column("finding", "finding")]
    )
    for cell in context.run.cells:
        for flag in cell.get("r_validation.flags"):
            flags.add(context.of(cell, cell.id), Value(flag["name"]), Value(flag["text"]))
    return Section(
        "health",
        "Failures and flags",
        "A flagged cell stays in all figures.",
        [
            Tabulated(
                "Not in the figures", troubles, empty="Every cell of the run is in the figures."
            ),
            Tabulated("Flags of the sanity checks", flags, empty="No cell has a flag."),
        ],
    )


def sources(context: Context) -> Section:
    """Return the lists of cells that figures over several cells link to; make it last."""
    parts = []
    for name, (title, cells) in context.groups.items():
        links = "".join(
            f'<li><a href="{escape(context.link(cell))}">{escape(cell.id)}</a>'
            f"{_time(cell.handshake_ms)}</li>"
            for cell in cells
        )
        parts.append(
            f'<details class="from" id="{name}"><summary>{escape(title)} '
            f"({len(cells)} cells)</summary><ul>{links}</ul></details>"
        )
    return Section(
        "sources",
        "Where the figures come from",
        "Figures over several cells link here; each entry links to its metrics.json.",
        [Raw("".join(parts))],
    )


def _time(handshake_ms: float | None) -> str:
    return "" if handshake_ms is None else f" <span>{short(handshake_ms)} ms</span>"
