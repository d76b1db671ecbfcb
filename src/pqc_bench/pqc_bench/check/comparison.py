# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the tables of a run with the published ones, figure by figure."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from pqc_bench.check.tolerances import (
    FACTOR,
    KEYS,
    TOLERANCES,
    Tolerance,
    compared,
    tolerance_of,
)
from pqc_bench.report.number_text import short
from pqc_bench.report.table import Column

FORMAT = 1
Row = Mapping[str, str]
_SPEED_TABLE, _SPEED_COLUMN = "suites", "primitives_ms"


@dataclass(frozen=True)
class Deviation:
    """A figure outside its tolerance, or a table, column or row that is missing.

    `text` is a sentence.
    """

    table: str
    row: str
    column: str
    published: float | str | None
    found: float | str | None
    text: str


@dataclass
class Check:
    """The result: how many figures were compared, which deviate, and what was not compared.

    Tables and columns that the report lacks deviate, or are not compared if it may be partial.
    """

    scale: float = 1.0
    values: int = 0
    tables: list[str] = field(default_factory=list)
    deviations: list[Deviation] = field(default_factory=list)
    not_compared: list[str] = field(default_factory=list)

    @property
    def agrees(self) -> bool:
        """Return whether something was compared, and all of it agrees."""
        return self.values > 0 and not self.deviations

    @property
    def verdict(self) -> str:
        """The result as a sentence."""
        if not self.values:
            return "Nothing was compared: the run has none of the published tables' rows."
        where = f"{self.values:,} figures of {len(self.tables)} tables"
        if self.agrees:
            return f"The run agrees with the published tables: {where} are within their tolerances."
        return (
            f"The run deviates from the published tables: {len(self.deviations):,} times, {where}."
        )

    def document(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "agrees": self.agrees,
            "verdict": self.verdict,
            "scale": self.scale,
            "values": self.values,
            "tables": self.tables,
            "deviations": [asdict(one) for one in self.deviations],
            "not_compared": self.not_compared,
            "tolerances": [
                {"columns": one.columns, "kind": one.kind, "allowed": one.allowed}
                for one in TOLERANCES
            ],
        }


def compare(
    ours: Mapping[str, str],
    published: Mapping[str, str],
    *,
    relative: bool = False,
    partial: bool = False,
) -> Check:
    """Compare tables by name, each a CSV text.

    `relative` divides times by how much slower the run's cryptography is; `partial` accepts that
    the run lacks published tables, columns and rows.
    """
    found = Check()
    tables = {name: list(csv.DictReader(io.StringIO(text))) for name, text in published.items()}
    own = {name: list(csv.DictReader(io.StringIO(text))) for name, text in ours.items()}
    if relative:
        found.scale = _scale(own.get(_SPEED_TABLE, []), tables.get(_SPEED_TABLE, []))
    for name, rows in tables.items():
        if name not in KEYS or not rows:
            continue
        if name not in own:
            _lack(found, name, "", f"{name}: the report has no such table.", partial)
            continue
        _table(found, name, own[name], rows, partial)
    return found


def _table(found: Check, name: str, ours: list[Row], published: list[Row], partial: bool) -> None:
    absent = [one for one in _columns(name, published) if ours and one not in ours[0]]
    for column in absent:
        _lack(found, name, column, f"{name}: the report has no column {column}.", partial)
    if set(KEYS[name]) & set(absent):
        return
    by_place = {_place(name, row): row for row in ours}
    missing = [row for row in published if _place(name, row) not in by_place]
    if missing and not partial:
        found.deviations += _missing(name, missing, len(published))
    before = found.values
    for row in published:
        place = _place(name, row)
        if place in by_place:
            found.deviations += _row(found, name, place, by_place[place], row)
    if found.values > before:
        found.tables.append(name)


def _lack(found: Check, table: str, column: str, text: str, partial: bool) -> None:
    """Note a table or a column that the report lacks."""
    if partial:
        found.not_compared.append(text)
    else:
        found.deviations.append(Deviation(table, "", column, None, None, text))


def _columns(name: str, published: list[Row]) -> list[str]:
    """Return the columns of a published table by which rows are found or figures compared."""
    return [
        column
        for column in published[0]
        if column in KEYS[name]
        or any(row[column] and _rule(name, _place(name, row), column) for row in published)
    ]


def _place(name: str, row: Row) -> str:
    return " / ".join(row[key] for key in KEYS[name])


def _rule(name: str, place: str, column: str) -> Tolerance | None:
    """Return the tolerance of a figure; None if it is not compared."""
    if column in KEYS[name] or not compared(column):
        return None
    # In the comparison of scenarios each row is a quantity, and each column a scenario.
    return tolerance_of(place if name == "scenarios" else column)


def _missing(name: str, missing: list[Row], count: int) -> Iterator[Deviation]:
    if len(missing) == count:
        text = f"{name}: the report has none of the {count} published rows."
        yield Deviation(name, "", "", None, None, text)
        return
    for row in missing:
        place = _place(name, row)
        yield Deviation(name, place, "", None, None, f"{name}, {place}: not in the report.")


def _row(found: Check, name: str, place: str, ours: Row, published: Row) -> Iterator[Deviation]:
    for column, text in published.items():
        tolerance = _rule(name, place, column)
        if tolerance is None or column not in ours or not text:
            continue
        found.values += 1
        deviation = _figure(name, place, column, tolerance, ours, text, found.scale)
        if deviation is not None:
            yield deviation


def _figure(
    name: str, place: str, column: str, tolerance: Tolerance, ours: Row, text: str, scale: float
) -> Deviation | None:
    at = f"{name}, {place}: {column}" if place else f"{name}: {column}"
    published, own = _number(text), _number(ours[column])
    if published is None or own is None:
        if ours[column] == text:
            return None
        mine = f"'{ours[column]}'" if ours[column] else "not measured"
        return Deviation(
            name, place, column, text, ours[column], f"{at} is {mine}, published '{text}'."
        )
    by = scale if tolerance.time else 1.0
    _, low_name, high_name = Column("", column, interval=True).names
    low, high = (_number(ours.get(end, "")) for end in (low_name, high_name))
    low, high = (own if low is None else low) / by, (own if high is None else high) / by
    own /= by
    if tolerance.holds(published, min(low, own), max(high, own)):
        return None
    within = f" ({short(low)} to {short(high)})" if low != high else ""
    words = f"{at} is {short(own)}{within}, published {short(published)}; "
    if tolerance.kind == FACTOR and min(own, published) > 0.0:
        words += f"a factor of {short(max(own / published, published / own))} where "
        words += f"{tolerance.allowed:g} is allowed."
    else:
        words += f"allowed is {tolerance.words()}."
    return Deviation(name, place, column, published, own, words)


def _scale(ours: list[Row], published: list[Row]) -> float:
    """Return how many times as long the run's cryptography takes, the median over suites."""
    theirs = {row["suite"]: _number(row.get(_SPEED_COLUMN, "")) for row in published}
    ratios = [
        own / other
        for row in ours
        if (own := _number(row.get(_SPEED_COLUMN, ""))) and (other := theirs.get(row["suite"]))
    ]
    return median(ratios) if ratios else 1.0


def _number(text: str) -> float | None:
    try:
        return float(text.removeprefix("≤"))
    except ValueError:
        return None
