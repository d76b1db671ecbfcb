# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Times of single operations: measured alone by pqc_speed, and within the handshakes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pqc_bench.cell.scenario import SCENARIOS
from pqc_bench.report import names
from pqc_bench.report.analysis import group
from pqc_bench.report.charts import Datum, dumbbells, spreads
from pqc_bench.report.context import Context
from pqc_bench.report.number_text import factor_words, short
from pqc_bench.report.run_data import Cell
from pqc_bench.report.section import Figure, Section, Tabulated
from pqc_bench.report.table import Column, Table, Value

_NS_PER_MS = 1e6
_NS_PER_US = 1e3
_FEWEST_FOR_P95 = 10  # samples
_KEM = ("keygen", "encapsulate", "decapsulate")
_SIGNATURE = ("sign", "verify")
_AEAD = ("seal", "open")
_PERCENTILES = ("p5", "p25", "median", "p75", "p95")
_NO_SPEED = "the run has no speed.json: it was begun with --no-speed"


def primitives(context: Context) -> Section:
    speed = context.run.speed or {}
    timed = f", alone in up to {speed['count']} samples" if speed else ""
    return Section(
        "primitives",
        "Primitives",
        f"Medians{timed}, and as timed within the handshakes ({context.condition_words}). Of the "
        "operations alone pqc_speed keeps percentiles and not the samples: the spread takes the "
        "place of an interval.",
        [
            _spreads(context, "kems", "keygen", "Distribution of key generation"),
            _spreads(context, "signatures", "sign", "Distribution of signing"),
            _by_scenario(context),
            *_asymmetric(context, "kems", "KEM", _KEM, lambda c: c.kem, "kem_public_key_bytes"),
            *_asymmetric(
                context,
                "signatures",
                "signature",
                _SIGNATURE,
                lambda c: c.signature,
                "signature_bytes",
            ),
            *_aeads(context),
        ],
    )


def _asymmetric(
    context: Context,
    subjects: str,
    label: str,
    operations: tuple[str, ...],
    algorithm_of: Callable[[Cell], str],
    size: str,
) -> list[Figure | Tabulated]:
    alone = _alone(context, subjects)
    cells = group(context.main, algorithm_of)
    columns = [Column(label, label.lower())]
    columns += [Column(f"{name} (ms)", f"{name}_ms", "alone, median") for name in operations]
    columns.append(Column("slowest spread", "spread", "p95 / p5 of the slowest operation, alone"))
    columns.append(Column("samples", "least_samples", "of the operation with the fewest, alone"))
    columns += [
        Column(
            f"{name} in handshakes (ms)",
            f"{name}_in_handshake_ms",
            "over its suites",
            interval=True,
        )
        for name in operations
    ]
    columns.append(Column("bytes", size, "of the public key, or of the signature"))
    table = Table(f"primitives_{subjects}", columns)
    data: list[Datum] = []
    for algorithm in sorted({*alone, *cells}, key=names.place):
        of_speed = alone.get(algorithm, {})
        of_cells = cells.get(algorithm, [])
        values = [Value(names.display(algorithm))]
        for name in operations:
            ms = _median_ms(of_speed.get(name))
            values.append(Value(ms, context.speed_link, _NO_SPEED))
            if ms is not None:
                hint = f"{names.display(algorithm)} {name}: {short(ms)} ms"
                data.append(_datum(context, algorithm, ms, name, hint))
        values.append(Value(_spread(of_speed.values()), context.speed_link, _NO_SPEED))
        fewest = min((one["samples"] for one in of_speed.values()), default=None)
        values.append(Value(fewest, context.speed_link, _NO_SPEED))
        values += [_in_handshakes(context, of_cells, algorithm, name) for name in operations]
        values.append(_size(context, of_cells, size))
        table.add(*values)
    title = "KEM operations" if subjects == "kems" else "Signature operations"
    figure = Figure(
        title,
        _widest(data, label),
        dumbbells(data, "median time (ms, logarithmic)", operations) if data else _NO_SPEED,
    )
    return [
        figure,
        Tabulated(title, table, ("kem", "operations") if subjects == "kems" else ("signature",)),
    ]


def _aeads(context: Context) -> list[Figure | Tabulated]:
    table = Table(
        "primitives_aeads",
        [
            Column("AEAD", "aead"),
            Column("bytes", "text_bytes"),
            Column("seal (µs)", "seal_us", "median"),
            Column("open (µs)", "open_us", "median"),
            Column("seal p5 (µs)", "seal_p5_us"),
            Column("seal p95 (µs)", "seal_p95_us"),
        ],
    )
    data: list[Datum] = []
    for algorithm, by_size in _by_size(context).items():
        for size, found in by_size.items():
            times = [found.get(name, {}).get("median_ns") for name in _AEAD]
            spread = [found.get("seal", {}).get(name) for name in ("p5_ns", "p95_ns")]
            table.add(
                Value(names.display(algorithm)),
                Value(size),
                *(_us(context, ns) for ns in (*times, *spread)),
            )
            if times[0] is not None:
                us = times[0] / _NS_PER_US
                hint = f"{names.display(algorithm)}, {size} bytes: {short(us)} µs"
                data.append(_datum(context, algorithm, us, f"{size} bytes", hint))
    sizes = sorted({size for by_size in _by_size(context).values() for size in by_size})
    title = "Sealing a datagram"
    figure = Figure(
        title,
        _widest(data, "cipher", "over all sizes"),
        dumbbells(data, "median time (µs, logarithmic)", [f"{size} bytes" for size in sizes])
        if data
        else _NO_SPEED,
    )
    return [figure, Tabulated(title, table, ("aead",), _NO_SPEED)]


def _spreads(context: Context, subjects: str, operation: str, title: str) -> Figure:
    """Return the percentiles of an operation of each algorithm, alone."""
    data: list[Datum] = []
    for algorithm, operations in _alone(context, subjects).items():
        found = operations.get(operation, {})
        if found.get("p25_ns"):
            ms = {name: found[f"{name}_ns"] / _NS_PER_MS for name in _PERCENTILES}
            words = f"{names.display(algorithm)}: median {short(ms['median'])} ms, 5 % below "
            words += f"{short(ms['p5'])} ms and 5 % above {short(ms['p95'])} ms"
            data.append(
                {**_datum(context, algorithm, ms["median"], operation, words), **ms},
            )
    if not data:
        return Figure(title, "No distribution was measured.", _NO_SPEED)
    widest = max(data, key=lambda one: one["p95"] / one["p5"])
    sentence = f"The widest is that of {widest['hint']} ({context.run.speed['count']} samples)."
    chart = spreads(data, "time (ms, logarithmic): 5, 25, 50, 75 and 95 %", [operation])
    return Figure(title, sentence, chart)


def _by_scenario(context: Context) -> Figure:
    """Return the key generation of each KEM in the handshakes of each scenario."""
    title = "Key generation by scenario"
    data: list[Datum] = []
    across = context.run.across()
    for kem in sorted({cell.kem for cells in across.values() for cell in cells}, key=names.place):
        for scenario, cells in across.items():
            of_kem = [cell for cell in cells if cell.kem == kem]
            name = f"{names.display(kem)} keygen in {scenario}"
            found = context.typical(name, of_kem, "e_primitives.keygen_ms")
            if isinstance(found.value, float):
                hint = f"{names.display(kem)}, {scenario}: {short(found.value)} ms"
                label = names.display(kem)
                mark = {"label": label, "value": found.value, "group": scenario, "hint": hint}
                data.append({**mark, "href": found.href})
    if not data:
        return Figure(title, "No handshake timed it.", "no cell measured it")
    longest = max(data, key=lambda one: one["value"])
    sentence = f"The longest median within handshakes is that of {longest['hint']}."
    chart = dumbbells(data, "median key generation (ms, logarithmic)", SCENARIOS)
    return Figure(title, sentence, chart)


def _alone(context: Context, subjects: str) -> dict[str, dict[str, dict[str, Any]]]:
    return {
        subject["algorithm"]: {one["operation"]: one for one in subject["operations"]}
        for subject in (context.run.speed or {}).get(subjects, [])
        if any(one["samples"] for one in subject["operations"])
    }


def _by_size(context: Context) -> dict[str, dict[int, dict[str, dict[str, Any]]]]:
    found: dict[str, dict[int, dict[str, dict[str, Any]]]] = {}
    for subject in (context.run.speed or {}).get("aeads", []):
        for one in subject["operations"]:
            if one["samples"]:
                sizes = found.setdefault(subject["algorithm"], {})
                sizes.setdefault(one["text_bytes"], {})[one["operation"]] = one
    return found


def _median_ms(operation: dict[str, Any] | None) -> float | None:
    if operation is None or not operation["samples"]:
        return None
    return operation["median_ns"] / _NS_PER_MS


def _spread(operations: Iterable[dict[str, Any]]) -> float | None:
    slowest = max(operations, key=lambda one: one["median_ns"], default=None)
    if slowest is None or slowest["samples"] < _FEWEST_FOR_P95 or slowest["p5_ns"] <= 0.0:
        return None
    return slowest["p95_ns"] / slowest["p5_ns"]


def _in_handshakes(context: Context, cells: list[Cell], algorithm: str, name: str) -> Value:
    path = f"e_primitives.{name}_ms"
    return context.typical(f"{names.display(algorithm)} {name}", cells, path)


def _size(context: Context, cells: list[Cell], size: str) -> Value:
    for cell in cells:
        if cell.get(f"e_primitives.{size}") is not None:
            return context.value(cell, f"e_primitives.{size}")
    return Value(None, why="no cell of the run has it")


def _us(context: Context, ns: float | None) -> Value:
    return Value(None if ns is None else ns / _NS_PER_US, context.speed_link)


def _datum(context: Context, algorithm: str, value: float, group: str, hint: str) -> Datum:
    label = names.display(algorithm)
    return {
        "label": label,
        "value": value,
        "group": group,
        "hint": hint,
        "href": context.speed_link,
    }


def _widest(data: list[Datum], label: str, scope: str = "") -> str:
    if not data:
        return "The primitives of this machine were not timed."
    least, most = (pick(data, key=lambda datum: datum["value"]) for pick in (min, max))
    words = f" {scope}" if scope else ""
    factor = factor_words(most["value"] / least["value"])
    return (
        f"The quickest operation of a {label}{words} is {least['hint']}, the slowest "
        f"{most['hint']}{f': {factor}' if factor else ''}."
    )
