# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The cost of rekeys: their share of the time, and gaps in traffic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pqc_bench.cell.cell import RATES
from pqc_bench.report import names
from pqc_bench.report.analysis import median, phi
from pqc_bench.report.charts import Chart, curves, scatter
from pqc_bench.report.context import Context, families_of, share_words
from pqc_bench.report.number_text import short
from pqc_bench.report.run_data import Cell
from pqc_bench.report.section import Figure, Section, Tabulated
from pqc_bench.report.table import Column, Table, Value

INTERVALS_S = (10, 60, 300, 600, 3600)
_GAP = "f_rekey.longest_gap_ms"
_STEADY = "f_rekey.longest_gap_steady_ms"


def overhead(context: Context) -> Section:
    """Return the share of time that rekeys take: Φ(R) = T / (R + T)."""
    table = Table(
        "phi",
        [
            Column("suite", "suite"),
            Column("level", "level"),
            Column("T (ms)", "handshake_ms", interval=True),
            *(
                Column(f"Φ({seconds} s) (%)", f"phi_{seconds}_s_percent", interval=True)
                for seconds in INTERVALS_S
            ),
            Column("rekey (ms)", "rekey_ms", "under traffic, with keys made ahead", interval=True),
            Column("its Φ(60 s) (%)", "phi_rekey_60_s_percent", interval=True),
        ],
        note="T is the time of a first handshake, without keys made ahead, as in the earlier "
        "papers. The run's own rekeys had keys made ahead.",
    )
    for cell in context.main:
        link = context.link(cell)
        table.add(
            Value(cell.name, link),
            Value(f"L{cell.level}"),
            context.value(cell, "d_handshake.total_ms"),
            *(context.overhead(cell.handshake_ms, at, link, cell.spread) for at in INTERVALS_S),
            context.value(cell, "f_rekey.total_ms"),
            context.overhead(cell.rekey_ms, 60.0, link, cell.rekey_spread),
        )
    drawn = [
        context.datum(cell, "", name=cell.name, x=at, y=100.0 * phi(cell.handshake_ms or 0.0, at))
        for cell in _shown(context)
        for at in np.geomspace(5.0, 3600.0, 25).tolist()
    ]
    shares = [phi(cell.handshake_ms or 0.0, 60.0) for cell in context.main]
    sentence = (
        f"A rekey as long as a first handshake every minute takes {short(100.0 * shares[0])} % of "
        f"the time with {context.main[0].name}"
    )
    if len(shares) > 1:
        sentence += (
            f" and {short(100.0 * shares[-1])} % with {context.main[-1].name}; "
            f"{sum(share < 0.001 for share in shares)} of {len(shares)} suites stay under 0.1 %"
        )
    figure = Figure(
        "Φ(R) of the fastest and the slowest of each KEM family",
        f"{sentence}.",
        curves(drawn, "rekey interval R (s)", "Φ (%)", names.FAMILY_NAMES),
    )
    return Section(
        "phi",
        "Rekey overhead Φ(R)",
        "Φ(R) = T / (R + T): the share of time that handshakes take. Traffic does not stop: the "
        "tunnel uses the old keys meanwhile, which the next section measures.",
        [figure, Tabulated("Φ of all suites", table, ("phi",))],
    )


def gaps(context: Context) -> Section:
    """Return the longest gaps in traffic, with and without a rekey."""
    cells = [cell for cell in context.run.cells if cell.get(_GAP) is not None]
    table = Table(
        "rekey_gaps",
        [
            Column("suite", "suite"),
            Column("scenario", "scenario"),
            Column("load", "load"),
            Column("link", "link"),
            Column("rekey (ms)", "rekey_ms", "from its begin to new keys in use", interval=True),
            Column(
                "gap (ms)",
                "longest_gap_ms",
                "longest time without a delivery meanwhile",
                interval=True,
            ),
            Column(
                "otherwise (ms)",
                "longest_gap_steady_ms",
                "the same outside of rekeys",
                interval=True,
            ),
            Column("ratio", "gap_ratio", interval=True),
            Column("lost (datagrams)", "lost", "sent meanwhile that never arrived"),
        ],
    )
    for cell in cells:
        table.add(
            context.of(cell, cell.name),
            *(Value(part) for part in cell.condition),
            context.value(cell, "f_rekey.total_ms"),
            _gap(context, cell, _GAP),
            _gap(context, cell, _STEADY),
            context.value(cell, "f_rekey.gap_ratio"),
            context.of(cell, _lost(cell)),
        )
    title = "The longest gap in traffic, with and without a rekey"
    both = [c for c in cells if (c.get(_GAP) or 0) > 0 and (c.get(_STEADY) or 0) > 0]
    if both:
        figure = Figure(title, _gap_sentence(both), _gap_chart(context, both))
    else:
        figure = Figure(title, "No cell has measured gaps.", "no cell had a rekey")
    return Section(
        "gaps",
        "Rekey gaps",
        "The effect of rekeys on traffic, over all cells of the run.",
        [
            figure,
            Tabulated("Rekeys under traffic", table, empty="No cell had a rekey under traffic."),
        ],
    )


def _gap(context: Context, cell: Cell, path: str) -> Value:
    """Return a gap; no gap is shorter than the time between two datagrams."""
    value = context.value(cell, path)
    spacing_ms = 1000.0 / RATES[cell.condition[1]]
    if value.value is not None and value.value <= spacing_ms:
        return replace(value, value=spacing_ms, floor=True, interval=None)
    return value


def _lost(cell: Cell) -> int | None:
    """Return the datagrams lost during the rekeys of all samples."""
    lost = cell.all("f_rekey.lost")
    return sum(lost) if lost else None


def _shown(context: Context) -> list[Cell]:
    found: dict[str, Cell] = {}
    for family in families_of(context.main):
        of_family = [cell for cell in context.main if cell.family == family]
        found |= {cell.suite: cell for cell in (of_family[0], of_family[-1])}
    return list(found.values())


def _gap_chart(context: Context, cells: list[Cell]) -> Chart:
    points = [
        context.datum(
            cell,
            f"{short(cell.get(_GAP))} ms, otherwise {short(cell.get(_STEADY))} ms",
            x=cell.get(_STEADY),
            y=cell.get(_GAP),
        )
        for cell in cells
    ]
    return scatter(
        points,
        "longest gap without a rekey (ms)",
        "longest gap in a rekey (ms)",
        names.FAMILY_NAMES,
        diagonal=True,
    )


def _gap_sentence(cells: list[Cell]) -> str:
    ratios = [cell.get(_GAP) / cell.get(_STEADY) for cell in cells]
    worst = max(cells, key=lambda cell: cell.get(_GAP))
    lost = sum(_lost(cell) or 0 for cell in cells)
    longer = sum(ratio > 1.0 for ratio in ratios)
    return (
        f"The longest gap during a rekey was {short(median(ratios))} times the longest without "
        f"(median of the suites), longer in {share_words(longer, len(cells))}; the worst was "
        f"{short(worst.get(_GAP))} ms with {worst.name} in {worst.scenario}, and "
        f"{lost or 'no'} datagram{'' if lost == 1 else 's'} of these windows "
        f"{'was' if lost == 1 else 'were'} lost."
    )
