# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Two runs side by side."""

from __future__ import annotations

from dataclasses import replace

from pqc_bench.report import names
from pqc_bench.report.analysis import group, median
from pqc_bench.report.charts import Chart, scatter
from pqc_bench.report.context import Context, share_words
from pqc_bench.report.intervals import Interval, pooled_ratio
from pqc_bench.report.number_text import short
from pqc_bench.report.run_data import Cell
from pqc_bench.report.section import Figure, Section, Tabulated
from pqc_bench.report.table import Column, Table, Value

_METRICS = (
    ("handshake (ms)", "handshake_ms", "d_handshake.total_ms"),
    ("rekey (ms)", "rekey_ms", "f_rekey.total_ms"),
    ("p50 from the drone (ms)", "p50_ms", "h_latency_jitter.drone_to_gcs.p50_ms"),
    ("p99 from the drone (ms)", "p99_ms", "h_latency_jitter.drone_to_gcs.p99_ms"),
    ("CPU per datagram (µs)", "cpu_us_per_packet", "n_system_drone.cpu_us_per_packet"),
    ("longest rekey gap (ms)", "gap_ms", "f_rekey.longest_gap_ms"),
)
_NS_PER_MS = 1e6


def comparison(one: Context, other: Context) -> Section:
    """Return a comparison of the cells that both runs have, and of the primitives."""
    theirs = {cell.id: cell for cell in other.run.cells}
    both = [(cell, theirs[cell.id]) for cell in one.run.cells if cell.id in theirs]
    timed = [(a, b) for a, b in both if a.handshake_ms and b.handshake_ms]
    only_a = len(one.run.cells) - len(both)
    only_b = len(other.run.cells) - len(both)
    title = "Handshakes of both runs"
    if timed:
        figure = Figure(title, _sentence(timed), _chart(one, timed))
    else:
        why = "the runs have no cell with a handshake in common"
        figure = Figure(title, "There is nothing to compare.", why)
    return Section(
        "comparison",
        "A and B side by side",
        f"{len(both)} cells are in both; {only_a} only in A, {only_b} only in B. Ratios of two "
        "runs include the differences of their machines and times.",
        [
            figure,
            Tabulated("The two runs", _runs(one, other)),
            Tabulated("Medians of ratios", _metrics(one, other, both)),
            Tabulated("Handshakes", _cells(one, other, timed)),
            Tabulated("Primitives alone", _primitives(one, other), empty="Not both have them."),
        ],
    )


def _runs(one: Context, other: Context) -> Table:
    table = Table("compared_runs", [Column("", "what"), Column("A", "a"), Column("B", "b")])
    for words, of in (
        ("folder", lambda c: c.run.folder.name),
        ("commit", lambda c: c.run.file.commit),
        ("machine", lambda c: c.run.file.machine),
        ("started", lambda c: c.run.file.started),
        ("noise (%)", lambda c: c.noise and 100.0 * c.noise),
        ("cells in the figures", lambda c: len(c.run.samples())),
        ("cells not in them", lambda c: len(c.run.troubles)),
    ):
        table.add(Value(words), Value(of(one)), Value(of(other)))
    return table


def _metrics(one: Context, other: Context, both: list[tuple[Cell, Cell]]) -> Table:
    table = Table(
        "compared_metrics",
        [
            Column("condition", "condition"),
            Column("metric", "metric"),
            Column("n", "n"),
            Column("A, median", "a", interval=True),
            Column("B, median", "b", interval=True),
            Column("B / A", "ratio", "the median of the suites' ratios", interval=True),
            Column("least", "ratio_least"),
            Column("most", "ratio_most"),
        ],
    )
    for condition, pairs in group(both, lambda pair: pair[0].condition).items():
        for words, _, path in _METRICS:
            known = [(a, b) for a, b in pairs if a.get(path) and b.get(path) is not None]
            if not known:
                continue
            ratios = [b.get(path) / a.get(path) for a, b in known]
            name = f"{words} of {' '.join(condition)}"
            link = other.group(name, [b for _, b in known])
            within = pooled_ratio([a.all(path) for a, _ in known], [b.all(path) for _, b in known])
            table.add(
                Value(" / ".join(condition)),
                Value(words),
                Value(len(known)),
                one.typical(name, [a for a, _ in known], path),
                other.typical(name, [b for _, b in known], path),
                Value(median(ratios), link, interval=within),
                *(Value(figure, link) for figure in (min(ratios), max(ratios))),
            )
    return table


def _cells(one: Context, other: Context, timed: list[tuple[Cell, Cell]]) -> Table:
    table = Table(
        "compared_cells",
        [
            Column("suite", "suite"),
            Column("condition", "condition"),
            Column("A (ms)", "a_ms", interval=True),
            Column("B (ms)", "b_ms", interval=True),
            Column("change (ms)", "change_ms"),
            Column("change (%)", "change_percent", interval=True),
        ],
    )
    for a, b in timed:
        before, after = a.handshake_ms or 0.0, b.handshake_ms or 0.0
        table.add(
            Value(a.name),
            Value(" / ".join(a.condition)),
            one.value(a, "d_handshake.total_ms"),
            other.value(b, "d_handshake.total_ms"),
            other.of(b, after - before),
            replace(other.of(b, 100.0 * (after - before) / before), interval=_change(a, b)),
        )
    return table


def _change(a: Cell, b: Cell) -> Interval | None:
    path = "d_handshake.total_ms"
    found = pooled_ratio([a.all(path)], [b.all(path)])
    return found and found.map(lambda ratio: 100.0 * (ratio - 1.0))


def _primitives(one: Context, other: Context) -> Table:
    table = Table(
        "compared_primitives",
        [
            Column("operation", "operation"),
            Column("A (ms)", "a_ms"),
            Column("B (ms)", "b_ms"),
            Column("B / A", "ratio"),
        ],
    )
    theirs = _times(other)
    for name, ms in _times(one).items():
        if name in theirs:
            table.add(
                Value(name),
                Value(ms, one.speed_link),
                Value(theirs[name], other.speed_link),
                Value(theirs[name] / ms, other.speed_link),
            )
    return table


def _times(context: Context) -> dict[str, float]:
    return {
        " ".join(
            [subject["name"], one["operation"]]
            + ([f"{one['text_bytes']} B"] if "text_bytes" in one else [])
        ): one["median_ns"] / _NS_PER_MS
        for subjects in ("kems", "signatures", "aeads")
        for subject in (context.run.speed or {}).get(subjects, [])
        for one in subject["operations"]
        if one["samples"] and one["median_ns"] > 0.0
    }


def _chart(one: Context, timed: list[tuple[Cell, Cell]]) -> Chart:
    points = [
        one.datum(
            a,
            f"{short(a.handshake_ms or 0.0)} ms and {short(b.handshake_ms or 0.0)} ms",
            x=a.handshake_ms,
            y=b.handshake_ms,
        )
        for a, b in timed
    ]
    return scatter(
        points, "A: handshake (ms)", "B: handshake (ms)", names.FAMILY_NAMES, diagonal=True
    )


def _sentence(timed: list[tuple[Cell, Cell]]) -> str:
    ratios = [(b.handshake_ms or 0.0) / (a.handshake_ms or 1.0) for a, b in timed]
    return (
        f"B's handshakes take {short(median(ratios))} times A's (median of {len(timed)} cells; "
        f"from {short(min(ratios))} to {short(max(ratios))}), "
        f"{share_words(sum(r > 1.0 for r in ratios), len(ratios))} longer."
    )
