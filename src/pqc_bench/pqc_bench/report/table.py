# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tables as HTML, with a link behind every number, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from pqc_bench.report.intervals import Interval
from pqc_bench.report.number_text import short, span

# Text of up to _SHORT characters is not wrapped; from _LONG on its column is wide.
_SHORT = 40
_LONG = 70
_NUMBER = ' class="number"'
# Units at the end of a column's name; low and high go before them.
_UNITS = ("us_per_packet", "mbit_s", "percent", "mib", "mhz", "ms", "us", "mj", "j", "w", "c")


@dataclass(frozen=True)
class Value:
    """A cell of a table; if the value is None, `why` is the reason.

    `floor`: the value is the least that could have been measured, the true one may be smaller.
    `interval` is shown below it, if the column has intervals.
    """

    value: float | int | str | None
    href: str = ""
    why: str = "not measured"
    disturbed: bool = False
    floor: bool = False
    interval: Interval | None = None

    def html(self, *, number: bool = False) -> str:
        """Return the table's cell; `number`: of a column of numbers."""
        if self.value is None:
            return f'<td class="none" title="{escape(self.why)}">–</td>'
        if isinstance(self.value, str):
            length = len(self.value)
            style = "name" if length <= _SHORT else "long" if length >= _LONG else ""
            style = "number" if number else style
            mark = ' <span class="disturbed" title="disturbed">▲</span>' if self.disturbed else ""
            return f'<td class="{style}">{self._linked(self.value)}{mark}{self._range()}</td>'
        if self.floor:
            text = self._linked(f"≤ {short(self.value)}")
            title = "below what this machine resolves"
            return f'<td class="number" data-v="{self.value!r}" title="{title}">{text}</td>'
        shown = f"{self.value:,}" if isinstance(self.value, int) else short(self.value)
        linked = f"{self._linked(shown)}{self._range()}"
        return f'<td class="number" data-v="{self.value!r}">{linked}</td>'

    @property
    def digits(self) -> float | int | str:
        return "" if self.value is None else f"≤{self.value}" if self.floor else self.value

    @property
    def bounds(self) -> list[float | str]:
        """Both ends of the interval, with all digits."""
        return ["", ""] if self.interval is None else [self.interval.low, self.interval.high]

    def _range(self) -> str:
        if self.interval is None:
            return ""
        text = span(self.interval.low, self.interval.high, " – ")
        hint = f"{100.0 * self.interval.sure:.0f} % interval, n = {self.interval.n:,}"
        return f'<span class="range" title="{hint}">{text}</span>'

    def _linked(self, text: str) -> str:
        return f'<a href="{escape(self.href)}">{escape(text)}</a>' if self.href else escape(text)


@dataclass(frozen=True)
class Column:
    """A heading, and the column's name in the CSV with its unit at the end.

    A column with intervals has two more names in the CSV.
    """

    heading: str
    name: str
    hint: str = ""
    interval: bool = False

    @property
    def names(self) -> list[str]:
        if not self.interval:
            return [self.name]
        unit = next((f"_{unit}" for unit in _UNITS if self.name.endswith(f"_{unit}")), "")
        stem = self.name.removesuffix(unit)
        return [self.name, f"{stem}_low{unit}", f"{stem}_high{unit}"]


@dataclass
class Table:
    """Rows of values; `name` is the CSV file's."""

    name: str
    columns: list[Column]
    rows: list[list[Value]] = field(default_factory=list)
    note: str = ""

    def add(self, *values: Value) -> None:
        """Append a row; ValueError if it has another length."""
        if len(values) != len(self.columns):
            raise ValueError(f"{self.name} has {len(self.columns)} columns, not {len(values)}")
        self.rows.append(list(values))

    @property
    def fields(self) -> dict[str, str]:
        """What each column of the CSV means."""
        found = {"source": "the cells that the row comes from"}
        for column in self.columns:
            value, *bounds = column.names
            found[value] = f"{column.heading}{': ' * bool(column.hint)}{column.hint}"
            ends = ("lower", "upper")
            found |= {
                one: f"{end} end of its interval" for one, end in zip(bounds, ends, strict=False)
            }
        return found

    def html(self, empty: str = "The run has no data for this table.") -> str:
        if not self.rows:
            return f'<p class="nodata">{escape(empty)}</p>'
        numeric = [
            _are_numbers([row[place].value for row in self.rows])
            for place in range(len(self.columns))
        ]
        heads = "".join(self._head(*of) for of in zip(self.columns, numeric, strict=True))
        rows = "".join(
            f"<tr>{''.join(v.html(number=of) for v, of in zip(row, numeric, strict=True))}</tr>"
            for row in self.rows
        )
        note = f'<p class="note">{escape(self.note)}</p>' if self.note else ""
        return (
            f'<div class="scroll"><table class="sortable" id="table-{self.name}">'
            f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{note}"
        )

    @staticmethod
    def _head(column: Column, number: bool) -> str:
        style = _NUMBER * number
        return f'<th scope="col"{style} title="{escape(column.hint)}">{escape(column.heading)}</th>'

    def csv(self) -> str:
        """Return the table with all digits and, at the end of each row, where it comes from."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow([name for column in self.columns for name in column.names] + ["source"])
        for row in self.rows:
            sources = dict.fromkeys(value.href for value in row if value.href)
            digits: list[float | int | str] = []
            for column, value in zip(self.columns, row, strict=True):
                digits += [value.digits, *(value.bounds if column.interval else [])]
            writer.writerow([*digits, " ".join(sources)])
        return out.getvalue()


def plain_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    numeric = [_are_numbers([row[place] for row in rows]) for place in range(len(columns))]
    heads = "".join(
        f"<th{_NUMBER * of}>{escape(column)}</th>"
        for column, of in zip(columns, numeric, strict=True)
    )
    body = "".join(
        f"<tr>{''.join(_plain(*of) for of in zip(row, numeric, strict=True))}</tr>" for row in rows
    )
    return (
        f'<div class="scroll"><table class="published"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _are_numbers(values: Sequence[object]) -> bool:
    """Tell whether most of a column's values are numbers; counts like 71/72 among them."""
    return 2 * sum(isinstance(value, str) for value in values) < len(values)


def _plain(value: object, number: bool) -> str:
    if isinstance(value, (int, float)):
        shown = f"{value:,}" if isinstance(value, int) else f"{value:,.10g}"
        return f'<td class="number">{shown}</td>'
    return f"<td{_NUMBER * number}>{escape(str(value))}</td>"
