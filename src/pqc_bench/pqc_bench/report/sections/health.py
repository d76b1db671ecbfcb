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
        for one in cell.samples:
            place = Value(one.id, context.file_link(one.file))
            for flag in one.get("r_validation.flags"):
                flags.add(place, Value(flag["name"].replace("_", " ")), Value(flag["text"]))
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
            f'<li><a href="{escape(context.file_link(one.file))}">{escape(one.id)}</a>'
            f"{_time(one.get('d_handshake.total_ms'))}</li>"
            for cell in cells
            for one in cell.samples
        )
        parts.append(
            f'<details class="from" id="{name}"><summary>{escape(title)} '
            f"({sum(len(c.samples) for c in cells)} cells)</summary><ul>{links}</ul></details>"
        )
    return Section(
        "sources",
        "Where the figures come from",
        "Figures over several cells link here; each entry links to its metrics.json.",
        [Raw("".join(parts))] if parts else [],
    )


def _time(handshake_ms: float | None) -> str:
    return "" if handshake_ms is None else f" <span>{short(handshake_ms)} ms</span>"
