# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Every suite in every condition: its traffic, and the programs that carried it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pqc_bench.report import names
from pqc_bench.report.context import Context
from pqc_bench.report.run_data import Cell
from pqc_bench.report.section import Section, Tabulated
from pqc_bench.report.sections.network import GOODPUT, LOST, SENT, THROUGHPUT, in_units
from pqc_bench.report.sections.ranking import CODE_HINT, INTERVALS_NOTE
from pqc_bench.report.table import Column, Table, Value

# Heading, name in the CSV, path, whether with an interval. The loss is of both ways.
_Figure = tuple[str, str, str, bool]
_LOSS = "g_data_plane.loss_ratio"
_DELAY = "h_latency_jitter"
_DISTURBANCE = "q_observability.disturbance"
_TRAFFIC: tuple[_Figure, ...] = (
    ("handshake (ms)", "handshake_ms", "d_handshake.total_ms", True),
    ("packets sent", "packets_sent", SENT, False),
    ("lost", "datagrams_lost", LOST, False),
    ("loss (%)", "loss_percent", _LOSS, True),
    ("lost by sequence", "lost_by_sequence", "j_mavlink_gcs.sequence_gaps", False),
    ("MAVProxy: lost", "mavproxy_lost", "j_mavlink_gcs.program.lost", False),
    ("throughput (Mbit/s)", "throughput_mbit_s", THROUGHPUT, True),
    ("goodput (Mbit/s)", "goodput_mbit_s", GOODPUT, True),
    ("RTT mean (ms)", "rtt_mean_ms", f"{_DELAY}.round_trip.mean_ms", True),
    *(
        (f"{words} {name} (ms)", f"{column}_{name}_ms", f"{_DELAY}.{flow}.{name}_ms", False)
        for words, column, flow in (
            ("RTT", "rtt", "round_trip"),
            ("to ground", "to_ground", "drone_to_gcs"),
            ("to drone", "to_drone", "gcs_to_drone"),
        )
        for name in ("p50", "p95", "p99")
    ),
    ("error of one way (ms)", "one_way_error_ms", f"{_DELAY}.error_bound_ms", False),
)
_ENDS = (("drone", "n_system_drone"), ("ground", "o_system_gcs"))
_SAMPLED = (
    ("tunnel's CPU", "%", "cpu", "percent", "cpu_percent"),
    ("tunnel's RSS", "MiB", "rss", "mib", "resident_mib"),
    ("machine's CPU", "%", "machine_cpu", "percent", "machine_cpu_percent"),
    ("temperature", "°C", "temperature", "c", "temperature_c"),
)
_PROGRAMS: tuple[_Figure, ...] = (
    *(
        (
            f"{words}, {end}, {of} ({unit})",
            f"{column}_{end}_{of}_{suffix}",
            f"{category}.{name}.{of}",
            of == "mean" and end == "drone",
        )
        for words, unit, column, suffix, name in _SAMPLED
        for end, category in _ENDS
        for of in ("mean", "max")
    ),
    *(
        (
            f"beside, {words}",
            f"beside_{name}",
            f"a_run_context.scenario_told.reached_{name}",
            False,
        )
        for words, name in (("CPU (%)", "cpu_percent"), ("RSS (MiB)", "memory_mib"))
    ),
    *(
        (f"MAVProxy, {end}, {words}", f"mavproxy_{end}_{name}", f"{category}.program.{path}", False)
        for end, category in (("drone", "i_mavlink_drone"), ("ground", "j_mavlink_gcs"))
        for words, name, path in (
            ("CPU (%)", "cpu_percent", "cpu_percent.mean"),
            ("CPU, max (%)", "cpu_max_percent", "cpu_percent.max"),
            ("RSS (MiB)", "rss_mib", "resident_mib.max"),
        )
    ),
    ("slowest clock (MHz)", "clock_least_mhz", f"{_DISTURBANCE}.slowest_mhz", False),
    ("fastest clock (MHz)", "clock_most_mhz", f"{_DISTURBANCE}.fastest_mhz", False),
    ("power (W)", "power_w", "p_power_energy.power_w.mean", True),
    ("energy (J)", "energy_j", "p_power_energy.energy_j", False),
    (
        "flight constraint (W)",
        "predicted_flight_constraint_w",
        "l_flight_controller.predicted_flight_constraint_w",
        False,
    ),
)


def conditions(context: Context) -> Section:
    """Return two tables with a row for each suite in each scenario, load and link."""
    return Section(
        "conditions",
        "Every suite in every condition",
        "While traffic flowed, handshakes apart: medians of the samples.",
        [
            Tabulated(
                "Traffic by suite and condition",
                _table(context, "traffic_by_condition", _TRAFFIC, INTERVALS_NOTE),
                ("detector",),
            ),
            Tabulated(
                "Programs by suite and condition",
                _table(
                    context,
                    "programs_by_condition",
                    _PROGRAMS,
                    "RSS is resident memory. Beside: the program of the scenario. Power is that of "
                    "the drone's computer, where it has a sensor; the flight constraint is what "
                    "the vehicle draws from its battery, by its own report.",
                ),
            ),
        ],
    )


def _table(context: Context, name: str, figures: Sequence[_Figure], note: str) -> Table:
    table = Table(
        name,
        [
            Column("suite", "suite"),
            Column("code", "code", CODE_HINT),
            *(Column(of, of) for of in ("scenario", "load", "link")),
            Column("n", "n", "samples"),
            *(Column(heading, column, interval=wide) for heading, column, _, wide in figures),
        ],
        note=note,
    )
    for cell in sorted(context.run.cells, key=_order):
        values = [_value(context, cell, path, wide) for _, _, path, wide in figures]
        place = map(Value, (cell.code, *cell.condition))
        count = context.of(cell, len(cell.samples))
        table.add(context.of(cell, cell.name), *place, count, *values)
    return table


def _order(cell: Cell) -> tuple[object, ...]:
    parts = map(names.place, (cell.kem, cell.signature, cell.aead, cell.scenario))
    return (*parts, *cell.condition)


def _value(context: Context, cell: Cell, path: str, wide: bool) -> Value:
    if path == _LOSS:
        return context.loss(f"loss of {cell.name} {' '.join(cell.condition)}", [cell])
    if wide:
        return in_units(context.value(cell, path), path)
    found = context.of(cell, cell.get(path))
    return replace(found, why=cell.reason(path), disturbed=False)
