# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The suites that no other suite beats in every respect."""

from __future__ import annotations

from pqc_bench.report import names
from pqc_bench.report.analysis import group, pareto
from pqc_bench.report.charts import scatter
from pqc_bench.report.choice import REKEY_S
from pqc_bench.report.context import Context
from pqc_bench.report.number_text import short
from pqc_bench.report.run_data import Cell
from pqc_bench.report.section import Figure, Section, Tabulated
from pqc_bench.report.table import Column, Table, Value


def frontier(context: Context) -> Section:
    """Return the Pareto frontier of handshake time, level and bytes."""
    best = pareto(context.main, lambda c: (c.handshake_ms or 0.0, -c.level, c.wire_bytes))
    best.sort(key=lambda cell: (cell.level, cell.handshake_ms))
    table = Table(
        "pareto",
        [
            Column("suite", "suite"),
            Column("level", "level"),
            Column("handshake (ms)", "handshake_ms", "median of the samples", interval=True),
            Column("bytes", "wire_bytes", "public key, ciphertext and signature"),
            Column("Φ(60 s) (%)", "phi_60_s_percent", interval=True),
        ],
        note="The cipher has no part in the handshake: suites that differ in it alone differ by "
        "chance.",
    )
    for cell in best:
        link = context.link(cell)
        table.add(
            Value(cell.name, link),
            Value(f"L{cell.level}"),
            context.value(cell, "d_handshake.total_ms"),
            Value(cell.wire_bytes, link),
            context.overhead(cell.handshake_ms, REKEY_S, link, cell.spread),
        )
    fastest = [
        min(of_level, key=lambda cell: cell.handshake_ms or 0.0)
        for of_level in group(best, lambda cell: cell.level).values()
    ]
    points = [
        context.datum(
            cell,
            f"level {cell.level}, {short(cell.handshake_ms or 0.0)} ms, {cell.wire_bytes:,} bytes",
            x=cell.wire_bytes,
            y=cell.handshake_ms,
            note=_short_name(cell) if cell in fastest else "",
            **context.bounds(cell.spread),
        )
        for cell in context.main
    ]
    edge = pareto(context.main, lambda cell: (cell.handshake_ms or 0.0, cell.wire_bytes))
    figure = Figure(
        "Handshake against bytes on the air",
        _sentence(fastest, len(best), len(context.main)),
        scatter(
            points,
            "public key, ciphertext and signature (bytes)",
            "handshake (ms)",
            names.FAMILY_NAMES,
            through=sorted((cell.wire_bytes, cell.handshake_ms or 0.0) for cell in edge),
        ),
        "The line joins the suites that no other beats in both; the named ones are the fastest of "
        "their level. Grey lines are intervals of the repetitions.",
    )
    return Section(
        "frontier",
        "Pareto frontier",
        f"Each suite with the median of its samples ({context.condition_words}). A suite stays "
        "out if another is nowhere worse, in time, level and bytes, and somewhere better.",
        [figure, Tabulated("Pareto-optimal suites", table, ("pareto",))],
    )


def _short_name(cell: Cell) -> str:
    """Return the name without the cipher, which has no part in the handshake."""
    return f"{names.suite_name(cell.kem, cell.signature)} (L{cell.level})"


def _sentence(fastest: list[Cell], kept: int, count: int) -> str:
    top = fastest[-1]
    took = f"{short(top.handshake_ms or 0.0)} ms"
    if count == 1:
        return f"The run has one suite, {top.name} with {took}."
    return (
        f"Level {top.level} takes {took} with {top.name}, and {count - kept} of {count} suites "
        "are beaten in everything."
    )
