# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Handshakes by NIST level, by family of KEM and by family of signature."""

from __future__ import annotations

from collections.abc import Callable

from pqc_bench.report import names
from pqc_bench.report.analysis import group, summarise
from pqc_bench.report.charts import Chart, boxes
from pqc_bench.report.context import Context, families_of, present
from pqc_bench.report.intervals import FEW_FOR_P95, FEWEST_FOR_P95, mean, middle, p95, pooled
from pqc_bench.report.number_text import factor_words, short
from pqc_bench.report.run_data import Cell
from pqc_bench.report.section import Figure, Section, Tabulated
from pqc_bench.report.table import Column, Table, Value

_TIME = "d_handshake.total_ms"
# Published beside the statistics of KEM families.
_FAMILY_SEEDS = ("family", "family_range", "family_suites")


def distribution(context: Context) -> Section:
    """Return statistics and boxplots of handshakes by group."""
    cells = context.main
    signature_of: Callable[[Cell], str] = lambda c: c.get("b_crypto_identity.signature_family")  # noqa: E731
    levels = group(sorted(cells, key=lambda cell: cell.level), lambda cell: f"L{cell.level}")
    by_family = group(cells, lambda cell: cell.family)
    families = {names.FAMILIES[name]: by_family[name] for name in families_of(cells)}
    by_signature = group(cells, signature_of)
    signatures = {
        names.SIGNATURE_FAMILIES[name]: by_signature[name]
        for name in present(by_signature, tuple(names.SIGNATURE_FAMILIES))
    }
    section = Section(
        "distribution",
        "By level and by family",
        f"Each suite counts once, with the median of its samples ({context.condition_words}). "
        "An interval is that of the repetitions of these suites, not of other suites.",
    )
    for title, label, parts, seeds in (
        ("Handshake by NIST level", "level", levels, ("level", "level_range")),
        ("Handshake by KEM family", "family", families, _FAMILY_SEEDS),
        ("Handshake by signature family", "signature", signatures, ()),
    ):
        section.parts += [
            Figure(title, _sentence(parts), _boxplot(context, parts)),
            Tabulated(title, _table(context, label, parts), seeds),
        ]
    return section


def _boxplot(context: Context, parts: dict[str, list[Cell]]) -> Chart:
    data = [
        context.datum(cell, f"{short(ms)} ms", label=name, value=ms)
        for name, cells in parts.items()
        for cell in cells
        if (ms := cell.handshake_ms) is not None
    ]
    return boxes(data, "handshake (ms, logarithmic)", names.FAMILY_NAMES)


def _table(context: Context, label: str, parts: dict[str, list[Cell]]) -> Table:
    table = Table(
        f"handshake_by_{label}",
        [
            Column(label, label),
            Column("n", "n"),
            Column("mean (ms)", "mean_ms", interval=True),
            Column("median (ms)", "median_ms", "of the suites' medians", interval=True),
            Column("p95 (ms)", "p95_ms", "interpolated between two suites", interval=True),
            Column("max (ms)", "max_ms", "of the slowest suite", interval=True),
        ],
    )
    for name, cells in parts.items():
        found = summarise([cell.handshake_ms or 0.0 for cell in cells])
        link = context.group(f"{label} {name}", cells)
        samples = [cell.all(_TIME) for cell in cells]
        within = [pooled(samples, statistic) for statistic in (mean, middle, p95)]
        table.add(
            Value(name, link),
            Value(found.n, link),
            Value(found.mean, link, interval=within[0]),
            Value(found.median, link, interval=within[1]),
            Value(found.p95, link, interval=within[2])
            if found.n >= FEWEST_FOR_P95
            else Value(None, why=FEW_FOR_P95),
            context.value(max(cells, key=lambda cell: cell.handshake_ms or 0.0), _TIME),
        )
    return table


def _sentence(parts: dict[str, list[Cell]]) -> str:
    found = {name: summarise([c.handshake_ms or 0.0 for c in of]) for name, of in parts.items()}
    if len(found) == 1:
        ((name, only),) = found.items()
        if only.n == 1:
            return f"The only suite of {name} needs {short(only.median)} ms."
        return f"Half of the {only.n} suites of {name} need {short(only.median)} ms or less."
    least = min(found, key=lambda name: found[name].median)
    most = max(found, key=lambda name: found[name].median)
    factor = factor_words(found[most].most / found[most].least)
    return (
        f"The median goes from {short(found[least].median)} ms ({least}) to "
        f"{short(found[most].median)} ms ({most})"
        + (f"; within {most} suites differ by {factor}." if factor else ".")
    )
