# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The effect of a detector beside the tunnel, and every condition of the run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pqc_bench.cell.scenario import SCENARIOS
from pqc_bench.report import names
from pqc_bench.report.analysis import group, median, summarise
from pqc_bench.report.charts import Chart, dumbbells
from pqc_bench.report.context import Context, families_of
from pqc_bench.report.number_text import short
from pqc_bench.report.run_data import Cell, having
from pqc_bench.report.section import Figure, Section, Tabulated
from pqc_bench.report.table import Column, Table, Value

Figures = Callable[[Sequence[float]], float]
_CPU = "n_system_drone.machine_cpu_percent"
_TEMPERATURE = "n_system_drone.temperature_c"
_P99 = "h_latency_jitter.drone_to_gcs.p99_ms"
_LOSS = "g_data_plane.loss_ratio"
_PER_PACKET = "n_system_drone.cpu_us_per_packet"
# Heading, name in the CSV, path, statistic.
_METRICS: tuple[tuple[str, str, str, Figures], ...] = (
    ("median handshake (ms)", "handshake_median_ms", "d_handshake.total_ms", median),
    (
        "mean handshake (ms)",
        "handshake_mean_ms",
        "d_handshake.total_ms",
        lambda values: summarise(values).mean,
    ),
    (
        "p95 handshake (ms)",
        "handshake_p95_ms",
        "d_handshake.total_ms",
        lambda values: summarise(values).p95,
    ),
    ("median rekey (ms)", "rekey_median_ms", "f_rekey.total_ms", median),
    ("median p99 latency (ms)", "p99_median_ms", _P99, median),
    ("tunnel's CPU per datagram (µs)", "cpu_median_us_per_packet", _PER_PACKET, median),
    (
        "mean CPU of the machine (%)",
        "machine_cpu_mean_percent",
        f"{_CPU}.mean",
        lambda values: summarise(values).mean,
    ),
    ("peak CPU of the machine (%)", "machine_cpu_peak_percent", f"{_CPU}.max", max),
    (
        "mean temperature (°C)",
        "temperature_mean_c",
        f"{_TEMPERATURE}.mean",
        lambda values: summarise(values).mean,
    ),
    (
        "mean loss (%)",
        "loss_mean_percent",
        _LOSS,
        lambda values: 100.0 * summarise(values).mean,
    ),
)


def scenarios(context: Context) -> Section:
    """Return KEM families by scenario, the change by a detector, and all metrics."""
    across = context.run.across()
    _, load, link = context.run.primary()
    section = Section(
        "scenarios",
        "Scenarios",
        f"The same suites with nothing, a light and a heavy detector beside the tunnel (load "
        f"{load}, link {link}).",
    )
    title = "Median handshake by KEM family"
    if len(across) < 2:
        why = f"the run has one scenario, {next(iter(across))}"
        section.parts.append(Figure(title, "There is nothing to compare.", why))
    else:
        medians = _medians(context, across)
        section.parts += [
            Figure(title, _sentence(medians), _chart(medians)),
            Tabulated("Change by a detector", _deltas(medians), ("detector",)),
        ]
    section.parts.append(Tabulated("Scenarios compared", _overview(context, across), ("scenario",)))
    section.parts.append(Tabulated("Every condition of the run", _conditions(context)))
    return section


Medians = dict[str, dict[str, tuple[float, str, int]]]


def _medians(context: Context, across: dict[str, list[Cell]]) -> Medians:
    """Return median, source and count by family and scenario, over suites all scenarios have."""
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
                found.setdefault(name, {})[scenario] = (took, link, len(of_family))
    return found


def _chart(medians: Medians) -> Chart | str:
    data = [
        {
            "label": family,
            "value": took,
            "group": scenario,
            "hint": f"{family}, {scenario}: {short(took)} ms",
            "href": link,
        }
        for family, by_scenario in medians.items()
        for scenario, (took, link, _) in by_scenario.items()
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
        ],
        note="Medians over the suites that were completed in every scenario.",
    )
    for family, by_scenario in medians.items():
        (_, (without, base_link, n)), *others = by_scenario.items()
        for scenario, (took, link, _) in others:
            table.add(
                Value(family),
                Value(scenario),
                Value(n, link),
                Value(without, base_link),
                Value(took, link),
                Value(took - without, link),
                Value(100.0 * (took - without) / without, link),
            )
    return table


def _overview(context: Context, across: dict[str, list[Cell]]) -> Table:
    columns = [Column("metric", "metric"), *(Column(name, name) for name in across)]
    table = Table("scenarios", columns)
    for heading, _, path, figure in _METRICS:
        row = [Value(heading)]
        for scenario, cells in across.items():
            row.append(_figure(context, f"{path} in {scenario}", cells, path, figure))
        table.add(*row)
    planned = {name: _planned(context, name) for name in across}
    table.add(
        Value("suites completed"),
        *(
            Value(
                f"{sum(c.succeeded for c in cells)}/{planned[name]}",
                context.group(f"completed in {name}", cells),
            )
            for name, cells in across.items()
        ),
    )
    return table


def _conditions(context: Context) -> Table:
    table = Table(
        "conditions",
        [
            Column("scenario", "scenario"),
            Column("load", "load"),
            Column("link", "link"),
            Column("cells", "cells"),
            Column("flagged", "flagged"),
            *(Column(heading, name) for heading, name, _, _ in _METRICS),
        ],
    )
    by = group(context.run.cells, lambda cell: cell.condition)
    for condition in sorted(by, key=lambda at: (names.place(at[0]), *at[1:])):
        cells = by[condition]
        words = " ".join(condition)
        link = context.group(f"all of {words}", cells)
        flagged = sum(not cell.get("r_validation.sane") for cell in cells)
        table.add(
            *(Value(part, link) for part in condition),
            Value(len(cells), link),
            Value(flagged, link),
            *(
                _figure(context, f"{path} of {words}", cells, path, figure)
                for _, _, path, figure in _METRICS
            ),
        )
    return table


def _figure(context: Context, title: str, cells: list[Cell], path: str, figure: Figures) -> Value:
    measured = [cell for cell in cells if cell.get(path) is not None]
    if not measured:
        return Value(None, why="no cell measured it")
    # One list of cells for all figures that come from the same ones.
    same = len(measured) == len(cells)
    link = context.group(f"all of {' '.join(cells[0].condition)}" if same else title, measured)
    return Value(figure([cell.get(path) for cell in measured]), link)


def _planned(context: Context, scenario: str) -> int:
    _, load, link = context.run.primary()
    return sum(
        (cell.scenario, cell.load, cell.link_name) == (scenario, load, link)
        for cell in context.run.file.cells()
    )


def _sentence(medians: Medians) -> str:
    changes = []
    for family, by_scenario in medians.items():
        (first, (without, _, _)), *others = by_scenario.items()
        changes += [
            (family, name, first, without, took) for name, (took, _, _) in others if without > 0.0
        ]
    if not changes:
        return "No family was completed in two scenarios."
    family, name, first, without, took = max(changes, key=lambda change: change[4] / change[3])
    risen = sum(change[4] > change[3] for change in changes)
    return (
        f"The largest change is {family}'s from {short(without)} ms in {first} to {short(took)} ms "
        f"in {name} ({100.0 * (took - without) / without:+.0f} %); {risen} of {len(changes)} "
        "medians rose."
    )
