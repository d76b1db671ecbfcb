# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Failures and flags of the run, and the cells behind every figure."""

from __future__ import annotations

from html import escape

from pqc_bench.report.analysis import group
from pqc_bench.report.context import Context
from pqc_bench.report.number_text import short
from pqc_bench.report.section import Raw, Section, Tabulated
from pqc_bench.report.table import Column, Table, Value

_NO_CLOCK = "the machine does not report it"
_THROTTLED = "how often the CPU slowed itself down; of a Raspberry Pi, in how many cells"


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
            Tabulated("The CPU meanwhile", _cpu(context)),
        ],
    )


def _cpu(context: Context) -> Table:
    """Return governor, clock and throttling by condition."""
    table = Table(
        "cpu_clock",
        [
            Column("condition", "condition"),
            Column("governor", "governor", "the kernel's rule for the clock"),
            Column("slowest (MHz)", "slowest_mhz", "the fastest core's lowest clock"),
            Column("fastest (MHz)", "fastest_mhz"),
            Column("throttled", "throttled", _THROTTLED),
        ],
        note="Only under the governor performance does the clock not follow the load.",
    )
    path = "q_observability.disturbance"
    for condition, cells in group(context.run.cells, lambda cell: cell.condition).items():
        words = " ".join(condition)
        governors = sorted({one for cell in cells for one in cell.all(f"{path}.governor")})
        row = [Value(" / ".join(condition)), Value(", ".join(governors) or None, why=_NO_CLOCK)]
        for name, of in (("slowest_mhz", min), ("fastest_mhz", max), ("throttled", sum)):
            known = [cell for cell in cells if cell.all(f"{path}.{name}")]
            values = [one for cell in known for one in cell.all(f"{path}.{name}")]
            link = context.group(f"{name} of {words}", known) if known else ""
            row.append(Value(of(values) if values else None, link, _NO_CLOCK))
        table.add(*row)
    return table


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
