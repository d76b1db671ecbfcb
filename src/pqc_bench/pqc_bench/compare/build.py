# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The page of two runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.report import names
from pqc_bench.report.build import Report
from pqc_bench.report.charts import Datum, ranking
from pqc_bench.report.intervals import Interval, interval, pooled_ratio
from pqc_bench.report.number_text import short
from pqc_bench.report.page import page
from pqc_bench.report.run_data import MACHINE, Cell, Run
from pqc_bench.report.section import Figure, Section, Tabulated
from pqc_bench.report.sections.ranking import CODE_HINT
from pqc_bench.report.table import Column, Table, Value

# Heading, name in the CSV, path; a ratio is B / A.
_QUANTITIES = (
    ("handshake (ms)", "handshake_ms", "d_handshake.total_ms"),
    ("rekey (ms)", "rekey_ms", "f_rekey.total_ms"),
    ("RTT p50 (ms)", "rtt_p50_ms", "h_latency_jitter.round_trip.p50_ms"),
    ("p99 to ground (ms)", "p99_ms", "h_latency_jitter.drone_to_gcs.p99_ms"),
    ("CPU per datagram (µs)", "cpu_us_per_packet", "n_system_drone.cpu_us_per_packet"),
    ("power (W)", "power_w", "p_power_energy.power_w.mean"),
)
_HANDSHAKE = _QUANTITIES[0]
_CONTEXT = "a_run_context"
_CLOCK = "q_observability.disturbance"
_SETTINGS = ("seconds", "repeat", "policy", "order_seed", "link_seed")
_ALL = "all"
Pair = tuple[Cell, Cell]


@dataclass(frozen=True)
class Comparison(Report):
    """A page of two runs, and what it says first."""

    sentence: str


def comparison(a: Run, b: Run, page_folder: Path) -> Comparison:
    """Return the page of two runs, with links from a folder; RunFault if no cell is in both."""
    pairs = _pairs(a, b)
    if not pairs:
        raise RunFault(
            f"no suite was measured in the same condition in '{a.folder}' and '{b.folder}'"
        )
    link = _Links(page_folder)
    ratios = _ratios(pairs, link)
    changed = _changes(a, b)
    sections = [
        Section(
            "ratios", "Ratios by suite", "", [_figure(pairs, link), Tabulated("Ratios", ratios)]
        ),
        Section(
            "medians",
            "Over all suites",
            "The median of the suites' ratios in each condition, and in all. Small figures are "
            "intervals by bootstrap over the repetitions, without any over the suites.",
            [Tabulated("Medians of the ratios", _medians(pairs))],
        ),
        Section(
            "machines",
            "What differs",
            "Of machine, software and settings; what is alike is left out.",
            [Tabulated("Differences", changed, empty="Nothing that the runs record differs.")],
        ),
    ]
    sentence = _sentence(pairs)
    lead = f'<section id="answer"><h2>B beside A</h2><p>{escape(sentence)}</p></section>'
    facts = [
        f"{name}: {run.file.machine}, commit {run.file.commit[:12] or 'unknown'}, begun "
        f"{run.file.started}, {len(run.samples())} cells"
        for name, run in (("A", a), ("B", b))
    ]
    tables = [table for section in sections for table in section.tables()]
    return Comparison(
        page("PQC-MAV benchmark: two runs", facts, lead, sections),
        {table.name: table.csv() for table in tables},
        {table.name: table.fields for table in tables},
        sentence,
    )


class _Links:
    def __init__(self, page_folder: Path) -> None:
        self._from = page_folder

    def __call__(self, cell: Cell) -> str:
        """Return the link to the first sample of a cell."""
        return quote(os.path.relpath(cell.samples[0].file.absolute(), self._from))


def _pairs(a: Run, b: Run) -> list[Pair]:
    """Return the cells that both runs have, in the order of the suite table."""
    found = {cell.id: cell for cell in b.cells}
    both = [(cell, found[cell.id]) for cell in a.cells if cell.id in found]
    return sorted(both, key=lambda pair: _place(pair[0]))


def _place(cell: Cell) -> tuple[object, ...]:
    parts = map(names.place, (cell.scenario, cell.kem, cell.signature, cell.aead))
    return (*parts, *cell.condition)


def _having(pairs: Sequence[Pair], path: str) -> list[Pair]:
    """Return the pairs that both measured as more than zero."""
    return [pair for pair in pairs if all((cell.get(path) or 0.0) > 0.0 for cell in pair)]


def _ratio(pairs: Sequence[Pair], path: str) -> tuple[float | None, Interval | None]:
    """Return the median of the ratios B / A of pairs, and its interval.

    It tells how repetitions differ; without any how the ratios of the suites do.
    """
    both = _having(pairs, path)
    if not both:
        return None, None
    found = [b.get(path) / a.get(path) for a, b in both]
    repeated = pooled_ratio([a.all(path) for a, _ in both], [b.all(path) for _, b in both])
    return median(found), repeated or interval(found)


def _ratios(pairs: list[Pair], link: _Links) -> Table:
    table = Table(
        "ratios",
        [
            Column("suite", "suite"),
            Column("code", "code", CODE_HINT),
            *(Column(of, of) for of in ("scenario", "load", "link")),
            Column("A, n", "a_n", "samples"),
            Column("B, n", "b_n", "samples"),
            *(
                column
                for heading, name, _ in _QUANTITIES
                for column in (
                    Column(f"A: {heading}", f"a_{name}"),
                    Column(f"B: {heading}", f"b_{name}"),
                    Column("B / A", f"ratio_{name}", f"of the medians: {heading}", interval=True),
                )
            ),
        ],
        note="Medians of the samples. Small figures are intervals of the ratio by bootstrap over "
        "the repetitions; one sample has none.",
    )
    for pair in pairs:
        a, b = pair
        values = []
        for _, _, path in _QUANTITIES:
            ratio, within = _ratio([pair], path)
            why = "not measured in both"
            values += [
                *(Value(cell.get(path), link(cell), cell.reason(path)) for cell in pair),
                Value(ratio, link(b), why, interval=within),
            ]
        counts = [Value(len(cell.samples), link(cell)) for cell in pair]
        head = (Value(a.name, disturbed=a.disturbed or b.disturbed), Value(a.code))
        table.add(*head, *map(Value, a.condition), *counts, *values)
    return table


def _medians(pairs: list[Pair]) -> Table:
    columns = [
        Column(heading.partition(" (")[0], f"ratio_{name}", "B / A", interval=True)
        for heading, name, _ in _QUANTITIES
    ]
    conditions = [Column(of, of) for of in ("scenario", "load", "link")]
    table = Table("ratio_medians", [*conditions, Column("suites", "suites"), *columns])
    groups: dict[Sequence[str], list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(pair[0].condition, []).append(pair)
    if len(groups) > 1:
        groups[(_ALL,) * len(conditions)] = pairs
    for condition, of in groups.items():
        values = [_ratio(of, path) for _, _, path in _QUANTITIES]
        row = [Value(ratio, "#ratios", "no pair", interval=within) for ratio, within in values]
        table.add(*map(Value, condition), Value(len(of), "#ratios"), *row)
    return table


def _figure(pairs: list[Pair], link: _Links) -> Figure:
    path = _HANDSHAKE[2]
    title = "Ratio of the handshakes"
    data: list[Datum] = []
    several = len({a.condition for a, _ in pairs}) > 1
    for pair in _having(pairs, path):
        a, b = pair
        ratio, within = _ratio([pair], path)
        assert ratio is not None
        where = f", {' / '.join(a.condition)}" if several else ""
        data.append(
            {
                "label": f"{a.code}{where}",
                "value": ratio,
                "also": 1.0,
                "group": names.FAMILIES[a.family],
                "hint": f"{a.name}{where}: {short(a.get(path))} and {short(b.get(path))} ms",
                "href": link(b),
                "disturbed": a.disturbed or b.disturbed,
                "low": within.low if within else None,
                "high": within.high if within else None,
            }
        )
    if not data:
        return Figure(title, "No suite has a handshake in both.", "no pair")
    data.sort(key=lambda datum: float(datum["value"]))
    sentence = f"From {short(data[0]['value'])} to {short(data[-1]['value'])}; the tick is 1."
    return Figure(title, sentence, ranking(data, "B / A (logarithmic)", names.FAMILY_NAMES))


def _changes(a: Run, b: Run) -> Table:
    """Return what the runs record of machine, software and settings, where they differ."""
    columns = [Column("what", "what"), Column("A", "a"), Column("B", "b")]
    table = Table("differences", columns)
    for what, of_a, of_b in zip(_facts(a), _facts(a).values(), _facts(b).values(), strict=True):
        if of_a != of_b:
            table.add(Value(what), Value(of_a), Value(of_b))
    return table


def _facts(run: Run) -> dict[str, str]:
    facts: dict[str, list[Any]] = {
        name.replace("_", " "): [one.get(f"{_CONTEXT}.{name}") for one in run.samples()]
        for name in MACHINE
    }
    for name in ("governor", "slowest_mhz", "fastest_mhz"):
        facts[name.replace("_", " ")] = [one.get(f"{_CLOCK}.{name}") for one in run.samples()]
    facts["power sensor"] = [one.get("p_power_energy.source") for one in run.samples()]
    settings = asdict(run.file)
    for name in _SETTINGS:
        facts[name.replace("_", " ")] = [settings[name]]
    return {what: _words(values) for what, values in facts.items()}


def _words(values: list[Any]) -> str:
    """Return what all cells recorded: of numbers that vary the range, of texts each."""
    known = [value for value in values if value is not None]
    if not known:
        return "none"
    numbers = [one for one in known if isinstance(one, int | float) and not isinstance(one, bool)]
    if len(numbers) == len(known) and len(set(numbers)) > 1:
        return f"{short(min(numbers))} to {short(max(numbers))}"
    return ", ".join(dict.fromkeys(str(value) for value in known))


def _sentence(pairs: list[Pair]) -> str:
    ratio, within = _ratio(pairs, _HANDSHAKE[2])
    cells = f"{len(pairs)} pair{'s' if len(pairs) > 1 else ''} of suite and condition"
    if ratio is None:
        return f"The runs share {cells}, none with a handshake in both."
    words = f"A handshake takes {short(ratio)} times as long in B as in A"
    if within is None:
        return f"{words}, the median of {cells}; a single one has no interval."
    sure = f"{100.0 * within.sure:.0f} % interval {short(within.low)} to {short(within.high)}"
    doubt = "" if within.low > 1.0 or within.high < 1.0 else "; 1 lies within it"
    return f"{words}, the median of {cells} ({sure}{doubt})."
