# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The effect of a CPU load beside the tunnel, and every condition of the run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pqc_bench.cell.scenario import SCENARIOS, STRESS
from pqc_bench.report import names
from pqc_bench.report.analysis import group, median
from pqc_bench.report.charts import Chart, boxes, dumbbells
from pqc_bench.report.context import Context, families_of, share_words
from pqc_bench.report.intervals import (
    FEW_FOR_P95,
    FEWEST_FOR_P95,
    Array,
    Interval,
    Statistic,
    mean,
    middle,
    p95,
    pooled_ratio,
    wilson,
)
from pqc_bench.report.number_text import short
from pqc_bench.report.run_data import Cell, having
from pqc_bench.report.section import Figure, Section, Tabulated
from pqc_bench.report.sections.network import (
    GOODPUT,
    MEMORY,
    ROUND_TRIP,
    SENT,
    THROUGHPUT,
    in_units,
)
from pqc_bench.report.sections.ranking import INTERVALS_NOTE
from pqc_bench.report.table import Column, Table, Value

_CPU = "n_system_drone.machine_cpu_percent"
_TEMPERATURE = "n_system_drone.temperature_c"
_P99 = "h_latency_jitter.drone_to_gcs.p99_ms"
_FOREIGN = "q_observability.disturbance.foreign_cpu"
_LOSS = "g_data_plane.loss_ratio"
_PER_PACKET = "n_system_drone.cpu_us_per_packet"


def _most(table: Array) -> Array:
    return np.asarray(np.max(table, axis=0))


# Heading, path, statistic. The loss is that of all datagrams.
_METRICS: tuple[tuple[str, str, Statistic], ...] = (
    ("median handshake (ms)", "d_handshake.total_ms", middle),
    ("mean handshake (ms)", "d_handshake.total_ms", mean),
    ("p95 handshake (ms)", "d_handshake.total_ms", p95),
    ("median rekey (ms)", "f_rekey.total_ms", middle),
    ("median p99 latency (ms)", _P99, middle),
    ("tunnel's CPU per datagram (µs)", _PER_PACKET, middle),
    ("mean CPU of the machine (%)", f"{_CPU}.mean", mean),
    ("peak CPU of the machine (%)", f"{_CPU}.max", _most),
    ("mean temperature (°C)", f"{_TEMPERATURE}.mean", mean),
    ("most CPU of other programs (%)", f"{_FOREIGN}_percent", _most),
    ("loss (%)", _LOSS, mean),
    ("median packets sent by the drone", SENT, middle),
    ("mean throughput (Mbit/s)", THROUGHPUT, mean),
    ("mean goodput (Mbit/s)", GOODPUT, mean),
    ("mean RTT (ms)", f"{ROUND_TRIP}.mean_ms", mean),
    ("median RTT p50 (ms)", f"{ROUND_TRIP}.p50_ms", middle),
    ("median RTT p95 (ms)", f"{ROUND_TRIP}.p95_ms", middle),
    ("median RTT p99 (ms)", f"{ROUND_TRIP}.p99_ms", middle),
    ("mean RSS of the drone's tunnel (MiB)", MEMORY, mean),
)


def scenarios(context: Context) -> Section:
    """Return KEM families by scenario, the change by a CPU load, and all metrics."""
    across = context.run.across()
    _, load, link = context.run.primary()
    section = Section(
        "scenarios",
        "Scenarios",
        f"The same suites in each scenario, with nothing or a CPU load beside the tunnel (traffic "
        f"{load}, link {link}).{_programs(across)}",
    )
    title = "Median handshake by KEM family"
    if len(across) < 2:
        why = f"the run has one scenario, {next(iter(across))}"
        section.parts.append(Figure(title, "There is nothing to compare.", why))
    else:
        medians = _medians(context, across)
        section.parts += [
            Figure(title, _sentence(medians), _chart(medians)),
            Tabulated("Change by a CPU load", _deltas(medians)),
        ]
    section.parts += [_panel(context, across, *panel) for panel in _PANELS]
    section.parts.append(Tabulated("Every condition", _overview(context), _SCENARIO_SEEDS))
    return section


def _programs(across: dict[str, list[Cell]]) -> str:
    """Return which program ran in each scenario, as sentences: stress-ng or a detector."""
    found = [
        f"{command} in {scenario}"
        for scenario, cells in across.items()
        for command in dict.fromkeys(
            one.get("a_run_context.scenario_command") for cell in cells for one in cell.samples
        )
        if command
    ]
    if not found:
        return ""
    what = (
        f" {STRESS} stands in for the papers' detectors: it is stress-ng with their CPU share and "
        "memory, and detects nothing."
    )
    stress = any(f" {STRESS} " in one for one in found)
    return f" Beside it ran {', '.join(found)}.{what if stress else ''}"


# Published beside the comparison of scenarios.
_SCENARIO_SEEDS = ("scenario", "trend", "usage", "tail")
# Title, words, path, unit.
_PANELS = (
    ("CPU of the drone's machine", "mean CPU", f"{_CPU}.mean", "%"),
    ("Temperature of the drone", "mean temperature", f"{_TEMPERATURE}.mean", "°C"),
    ("Packets that the drone sent", "number of packets", SENT, "packets"),
)
Medians = dict[str, dict[str, tuple[float, str, list[Cell]]]]


def _medians(context: Context, across: dict[str, list[Cell]]) -> Medians:
    """Return median, source and cells by family and scenario, over suites all scenarios have."""
    done = {name: having(cells, lambda cell: cell.handshake_ms) for name, cells in across.items()}
    shared = set.intersection(*({cell.suite for cell in cells} for cells in done.values()))
    found: Medians = {}
    for family in families_of([cell for cells in done.values() for cell in cells]):
        for scenario, cells in done.items():
            of_family = [c for c in cells if c.family == family and c.suite in shared]
            if of_family:
                name = names.FAMILIES[family]
                link = context.group(f"{name} in {scenario}", of_family)
                took = median([cell.handshake_ms or 0.0 for cell in of_family])
                found.setdefault(name, {})[scenario] = (took, link, of_family)
    return found


def _panel(
    context: Context, across: dict[str, list[Cell]], title: str, words: str, path: str, unit: str
) -> Figure:
    """Return a quantity of the machine, suite by suite, in each scenario."""
    data = [
        context.datum(cell, f"{short(cell.get(path))} {unit}", label=scenario, value=cell.get(path))
        for scenario, cells in across.items()
        for cell in having(cells, lambda cell: cell.get(path))
    ]
    if not data:
        reasons = {cell.reason(path) for cells in across.values() for cell in cells}
        return Figure(title, f"There is no {words}.", " ".join(sorted(reasons)), small=True)
    by = group(data, lambda datum: datum["label"])
    middles = [f"{short(median([d['value'] for d in of]))} in {name}" for name, of in by.items()]
    sentence = f"Median {words} in {unit}: {', '.join(middles)}."
    chart = boxes(data, f"{words} ({unit})", names.FAMILY_NAMES, linear=True)
    return Figure(title, sentence, chart, small=True)


def _chart(medians: Medians) -> Chart | str:
    data = [
        {
            "label": family,
            "value": took,
            "group": scenario,
            "hint": f"{family}, {scenario}: {short(took)} ms",
            "href": link,
            "disturbed": any(cell.disturbed for cell in cells),
        }
        for family, by_scenario in medians.items()
        for scenario, (took, link, cells) in by_scenario.items()
    ]
    if not data:
        return "no suite has a handshake in every scenario"
    return dumbbells(data, "median handshake (ms, logarithmic)", SCENARIOS)


def _deltas(medians: Medians) -> Table:
    table = Table(
        "scenario_changes",
        [
            Column("family", "family"),
            Column("scenario", "scenario"),
            Column("n", "n", "suites that every scenario has"),
            Column("without (ms)", "without_ms"),
            Column("with (ms)", "with_ms"),
            Column("change (ms)", "change_ms"),
            Column("change (%)", "change_percent"),
            Column("of a suite (%)", "suite_change_percent", "median of ratios", interval=True),
        ],
        note="Medians over the suites that were completed in every scenario. A suite's own change "
        "is the ratio of its medians; the interval of their median is that of the repetitions.",
    )
    for family, by_scenario in medians.items():
        (_, (without, base_link, before)), *others = by_scenario.items()
        for scenario, (took, link, after) in others:
            table.add(
                Value(family),
                Value(scenario),
                Value(len(after), link),
                Value(without, base_link),
                Value(took, link),
                Value(took - without, link),
                Value(100.0 * (took - without) / without, link),
                _change(before, after, link),
            )
    return table


def _change(before: list[Cell], after: list[Cell], link: str) -> Value:
    """Return the median of the suites' own changes, in %."""
    earlier = {cell.suite: cell.handshake_ms or 0.0 for cell in before}
    ratios = [(cell.handshake_ms or 0.0) / earlier[cell.suite] for cell in after]
    found = _ratios(before, after)
    within = found and found.map(lambda ratio: 100.0 * (ratio - 1.0))
    return Value(100.0 * (median(ratios) - 1.0), link, interval=within)


def _ratios(before: list[Cell], after: list[Cell]) -> Interval | None:
    """Return the interval of the suites' own changes, as factors."""
    path = "d_handshake.total_ms"
    times = {cell.suite: cell.all(path) for cell in before}
    return pooled_ratio([times[cell.suite] for cell in after], [cell.all(path) for cell in after])


def _overview(context: Context) -> Table:
    """Return every metric of every condition of the run, a condition in each column."""
    by = group(context.run.cells, lambda cell: cell.condition)
    conditions = sorted(by, key=lambda at: (names.place(at[0]), *at[1:]))
    alike = len({at[1:] for at in conditions}) == 1
    labels = {at: at[0] if alike else " / ".join(at) for at in conditions}
    columns = [Column(name, name, interval=True) for name in labels.values()]
    table = Table("scenarios", [Column("metric", "metric"), *columns], note=INTERVALS_NOTE)
    for heading, path, statistic in _METRICS:
        row = [Value(heading)]
        for at in conditions:
            title = f"{_quantity(heading)} of {' '.join(at)}"
            row.append(_figure(context, title, by[at], path, statistic))
        table.add(*row)
    table.add(Value("cells flagged"), *(_flagged(context, by[at]) for at in conditions))
    table.add(Value("suites completed"), *(_completed(context, by[at]) for at in conditions))
    return table


def _flagged(context: Context, cells: list[Cell]) -> Value:
    flagged = sum(not one.get("r_validation.sane") for cell in cells for one in cell.samples)
    return Value(flagged, context.group(_all_of(cells), cells))


def _completed(context: Context, cells: list[Cell]) -> Value:
    planned = len(
        {
            cell.suite
            for cell in context.run.file.cells()
            if (cell.scenario, cell.load, cell.link_name) == cells[0].condition
        }
    )
    done = sum(cell.succeeded for cell in cells)
    found = wilson(done, planned)
    return Value(
        f"{done}/{planned}",
        context.group(_all_of(cells), cells),
        interval=found and found.map(lambda share: 100.0 * share),
    )


def _all_of(cells: list[Cell]) -> str:
    return f"all of {' '.join(cells[0].condition)}"


def _figure(context: Context, title: str, cells: list[Cell], path: str, figure: Statistic) -> Value:
    measured = [cell for cell in cells if cell.get(path) is not None]
    if not measured:
        return Value(None, why="no cell measured it")
    # One list of cells for all figures that come from the same ones.
    same = len(measured) == len(cells)
    title = _all_of(cells) if same else title
    if path == _LOSS:
        return context.loss(title, measured)
    if figure is p95 and len(measured) < FEWEST_FOR_P95:
        return Value(None, why=FEW_FOR_P95)
    value = in_units(context.typical(title, measured, path, figure), path)
    if figure is _most:
        # An extreme of few samples has no useful interval.
        value = replace(value, interval=None)
    if path == f"{_FOREIGN}_percent":
        floor = max(cell.get(f"{_FOREIGN}_resolution_percent") for cell in measured)
        most = float(value.value or 0.0)
        if most <= floor:
            return replace(value, value=floor, floor=True)
    return value


def _quantity(heading: str) -> str:
    """Return a heading without its statistic and unit."""
    return heading.partition(" (")[0].removeprefix("median ").removeprefix("mean ")


def _sentence(medians: Medians) -> str:
    changes = []
    for family, by_scenario in medians.items():
        (first, (without, _, before)), *others = by_scenario.items()
        changes += [
            (family, name, first, without, took, before, after)
            for name, (took, _, after) in others
            if without > 0.0
        ]
    if not changes:
        return "No family was completed in two scenarios."
    largest = max(changes, key=lambda change: change[4] / change[3])
    family, name, first, without, took, before, after = largest
    found = _ratios(before, after)
    spread = ""
    if found is not None:
        low, high = (f"{100.0 * (end - 1.0):+.0f}" for end in (found.low, found.high))
        spread = f"; {100.0 * found.sure:.0f} % interval of a suite's own change {low} to {high} %"
    bad = sum(cell.disturbed for cell in (*before, *after))
    doubt = f" Of the suites behind it {bad} were disturbed: do not rely on it." if bad else ""
    risen = sum(change[4] > change[3] for change in changes)
    return (
        f"The largest change is {family}'s from {short(without)} ms in {first} to {short(took)} ms "
        f"in {name} ({100.0 * (took - without) / without:+.0f} %{spread}); "
        f"{share_words(risen, len(changes))} medians rose.{doubt}"
    )
