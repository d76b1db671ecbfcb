# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The suites that no other suite beats in every respect."""

from __future__ import annotations

from pqc_bench.report import names
from pqc_bench.report.analysis import group, pareto
from pqc_bench.report.charts import scatter
from pqc_bench.report.context import Context
from pqc_bench.report.number_text import short
from pqc_bench.report.planner import Option
from pqc_bench.report.section import Figure, Section, Tabulated
from pqc_bench.report.table import Column, Table, Value

_PHI_AT_S = 60.0


def frontier(context: Context) -> Section:
    """Return the Pareto frontiers of handshake time and level, and of time and bytes."""
    by_level = pareto(context.options, lambda o: (o.handshake_ms, -o.level))
    by_bytes = pareto(context.options, lambda o: (o.handshake_ms, o.wire_bytes))
    best = {
        option.suite.id: option
        for of_level in group(context.options, lambda o: o.level).values()
        for option in [min(of_level, key=lambda o: o.handshake_ms)]
    }
    chosen = sorted(
        {o.suite.id: o for o in [*by_level, *by_bytes, *best.values()]}.values(),
        key=lambda option: (option.level, option.handshake_ms),
    )
    table = Table(
        "pareto",
        [
            Column("suite", "suite"),
            Column("level", "level"),
            Column("handshake (ms)", "handshake_ms", "median of the samples", interval=True),
            Column("bytes", "wire_bytes", "public key, ciphertext and signature"),
            Column("Φ(60 s) (%)", "phi_60_s_percent", interval=True),
            Column("best at", "best_at"),
        ],
        note="The cipher has no part in the handshake: suites that differ in it alone differ by "
        "chance.",
    )
    for option in chosen:
        link = context.link(option.cell)
        table.add(
            Value(option.name, link),
            Value(f"L{option.level}"),
            Value(option.handshake_ms, link, interval=option.spread),
            Value(option.wire_bytes, link),
            context.overhead(option.handshake_ms, _PHI_AT_S, link, option.spread),
            Value(_best_at(option, by_level, by_bytes)),
        )
    edge = sorted(by_bytes, key=lambda option: option.wire_bytes)
    points = [
        context.option_datum(
            option,
            f"level {option.level}, {short(option.handshake_ms)} ms, {option.wire_bytes:,} bytes",
            x=option.wire_bytes,
            y=option.handshake_ms,
            note=_short_name(option) if option in by_level else "",
            **context.bounds(option.spread),
        )
        for option in context.options
    ]
    figure = Figure(
        "Handshake against bytes on the air",
        _sentence(by_level, by_bytes, len(context.options)),
        scatter(
            points,
            "public key, ciphertext and signature (bytes)",
            "handshake (ms)",
            names.FAMILY_NAMES,
            through=[(option.wire_bytes, option.handshake_ms) for option in edge],
        ),
        "The line joins the suites that no other beats in both; the named ones are not beaten in "
        "time and level. Grey lines are intervals of the repetitions.",
    )
    return Section(
        "frontier",
        "Pareto frontier",
        f"Each suite with the median of its samples ({context.condition_words}).",
        [figure, Tabulated("Pareto-optimal, and the fastest of each level", table, ("pareto",))],
    )


def _short_name(option: Option) -> str:
    """Return the name without the cipher, which has no part in the handshake."""
    name = names.suite_name(option.suite.kem, option.suite.signature)
    return f"{name} (L{option.level})"


def _best_at(option: Option, by_level: list[Option], by_bytes: list[Option]) -> str:
    words = ["time and level"] if option in by_level else []
    words += ["time and bytes"] if option in by_bytes else []
    return ", ".join(words) or "fastest of its level"


def _sentence(by_level: list[Option], by_bytes: list[Option], count: int) -> str:
    top = max(by_level, key=lambda option: option.level)
    beaten = count - len({option.suite.id for option in [*by_level, *by_bytes]})
    families = sorted({option.family for option in by_level})
    only = (
        " All that no other beats in time and level use one KEM family."
        if (len(families) == 1 and len(by_level) > 1)
        else ""
    )
    if count == 1:
        return f"The run has one suite, {top.name} with {short(top.handshake_ms)} ms."
    return (
        f"Level {top.level} takes {short(top.handshake_ms)} ms with {top.name}, and "
        f"{beaten} of {count} suites are beaten in everything.{only}"
    )
