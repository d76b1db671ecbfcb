# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Ranges by KEM family, and the best and the worst suite of each figure, as in seed 003."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pqc_bench.report import names
from pqc_bench.report.context import Context, families_of
from pqc_bench.report.run_data import Cell
from pqc_bench.report.section import Section, Tabulated
from pqc_bench.report.table import Column, Table, Value

_POWER = "p_power_energy.power_w.mean"
_ENERGY = "p_power_energy.energy_j"
# A smaller value is better.
_FIGURES = (
    ("handshake (ms)", "d_handshake.total_ms"),
    ("cryptography in it (ms)", "d_handshake.primitives_ms"),
    ("rekey under traffic (ms)", "f_rekey.total_ms"),
    ("p99 latency from the drone (ms)", "h_latency_jitter.drone_to_gcs.p99_ms"),
    ("tunnel's CPU per datagram (µs)", "n_system_drone.cpu_us_per_packet"),
    ("peak CPU of the machine (%)", "n_system_drone.machine_cpu_percent.max"),
    ("power (W)", _POWER),
    ("energy of the traffic (J)", _ENERGY),
)


def extremes(context: Context) -> Section:
    """Return ranges by family in every scenario, and the best and the worst suites."""
    return Section(
        "extremes",
        "Families, best and worst",
        "Of suites, each with the median of its samples. An extreme of many suites is in part "
        "chance: the interval of a suite says how much.",
        [
            Tabulated(
                "Ranges by KEM family",
                _ranges(context),
                ("family_range", "family_suites", "family_power"),
            ),
            Tabulated(
                "Best and worst suites", _best_worst(context), ("best_worst", "representative")
            ),
        ],
    )


def _ranges(context: Context) -> Table:
    table = Table(
        "family_ranges",
        [
            Column("family", "family"),
            Column("scenario", "scenario"),
            Column("n", "n", "suites"),
            Column("handshake, least (ms)", "handshake_least_ms", interval=True),
            Column("most (ms)", "handshake_most_ms", interval=True),
            Column("power, least (W)", "power_least_w", interval=True),
            Column("most (W)", "power_most_w", interval=True),
            Column("energy, least (J)", "energy_least_j", interval=True),
            Column("most (J)", "energy_most_j", interval=True),
            Column("loss (%)", "loss_percent", "of all datagrams", interval=True),
        ],
    )
    across = context.run.across()
    for family in families_of([cell for cells in across.values() for cell in cells]):
        for scenario, cells in across.items():
            of = [cell for cell in cells if cell.family == family]
            if not of:
                continue
            name = f"{names.FAMILIES[family]} in {scenario}: all"
            ends = [
                _end(context, of, path, pick)
                for path in ("d_handshake.total_ms", _POWER, _ENERGY)
                for pick in (min, max)
            ]
            table.add(
                Value(names.FAMILIES[family]),
                Value(scenario),
                Value(len(of), context.group(name, of)),
                *ends,
                context.loss(name, of),
            )
    return table


def _best_worst(context: Context) -> Table:
    table = Table(
        "best_worst",
        [
            Column("figure", "figure"),
            Column("scenario", "scenario"),
            Column("best", "best", interval=True),
            Column("of", "best_suite"),
            Column("worst", "worst", interval=True),
            Column("of", "worst_suite"),
            Column("worst / best", "ratio"),
            Column("apart", "apart", "whether the intervals of both have nothing in common"),
        ],
    )
    for words, path in _FIGURES:
        for scenario, cells in context.run.across().items():
            known = [cell for cell in cells if cell.get(path) is not None]
            if len(known) < 2:
                why = "fewer than two suites measured it"
                blank = [Value(None, why=why)] * 6
                table.add(Value(words), Value(scenario), *blank)
                continue
            best, worst = (_pick(known, path, pick) for pick in (min, max))
            low, high = (context.value(cell, path) for cell in (best, worst))
            ratio = worst.get(path) / best.get(path) if best.get(path) > 0.0 else None
            table.add(
                Value(words),
                Value(scenario),
                low,
                context.of(best, best.name),
                high,
                context.of(worst, worst.name),
                Value(ratio, high.href, "the best is zero"),
                Value(_apart(low, high)),
            )
    return table


def _apart(low: Value, high: Value) -> str:
    if low.interval is None or high.interval is None:
        return "unknown: one sample"
    return "no" if low.interval.overlaps(high.interval) else "yes"


def _end(context: Context, cells: Sequence[Cell], path: str, pick: Callable[..., Cell]) -> Value:
    known = [cell for cell in cells if cell.get(path) is not None]
    if not known:
        return Value(None, why=cells[0].reason(path))
    return context.value(_pick(known, path, pick), path)


def _pick(cells: Sequence[Cell], path: str, pick: Callable[..., Cell]) -> Cell:
    return pick(cells, key=lambda cell: cell.get(path))
