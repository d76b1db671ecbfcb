# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The kinds of charts with a row for each thing, as SVG; every mark is a link to its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

from pqc_bench.report.figures import summarise
from pqc_bench.report.svg import Axis, Picture, linear_axis, log_axis, short

_WIDTH = 1200
_TOP = 30
_BELOW = 44


@dataclass(frozen=True)
class Mark:
    """A value, in the chart's unit, with where it comes from and a style, which is its colour."""

    value: float
    href: str
    hint: str
    style: str = ""


@dataclass
class Row:
    """A line of a chart; `also` is drawn as a small upright stroke."""

    label: str
    marks: list[Mark] = field(default_factory=list)
    also: float | None = None


def no_data(why: str) -> str:
    """Return what stands in the place of a chart that there are no values for."""
    return f'<p class="nodata">Nothing to draw: {escape(why)}</p>'


def legend(entries: Sequence[tuple[str, str]]) -> str:
    """Return the meaning of styles: (style, words)."""
    parts = "".join(
        f'<span><i class="{style}"></i>{escape(words)}</span>' for style, words in entries
    )
    return f'<p class="legend">{parts}</p>'


def ranking(rows: Sequence[Row], unit: str, label: str) -> str:
    """Draw one value in each row as a line ending in a dot, logarithmic."""
    values = [mark.value for row in rows for mark in row.marks]
    values += [row.also for row in rows if row.also]
    picture, axis = _frame(rows, values, unit, label, pitch=16, left=400)
    for row, y in _lines(picture, rows, pitch=16, left=400):
        for mark in row.marks:
            x = axis.at(mark.value)
            with picture.mark(mark.href, mark.hint):
                picture.line(axis.start, y, x, y, f"stem {mark.style}")
                picture.dot(x, y, 4.6, f"dot {mark.style}")
            picture.text(x + 9, y + 4, short(mark.value), "value")
        if row.also:
            picture.line(axis.at(row.also), y - 5, axis.at(row.also), y + 5, "also")
    return picture.svg()


def dumbbells(
    rows: Sequence[Row], unit: str, label: str, logarithmic: bool = True, left: int = 170
) -> str:
    """Draw several values in each row as dots on one line."""
    values = [mark.value for row in rows for mark in row.marks]
    picture, axis = _frame(rows, values, unit, label, pitch=26, left=left, logarithmic=logarithmic)
    for row, y in _lines(picture, rows, pitch=26, left=left):
        if not row.marks:
            picture.text(axis.start + 8, y + 4, "no data", "value")
            continue
        places = [axis.at(mark.value) for mark in row.marks]
        picture.line(min(places), y, max(places), y, "bar")
        for mark, x in zip(row.marks, places, strict=True):
            with picture.mark(mark.href, mark.hint):
                picture.dot(x, y, 6.0, f"dot {mark.style}")
    return picture.svg()


def boxes(rows: Sequence[Row], unit: str, label: str) -> str:
    """Draw quartiles as a box, whiskers to 1.5 times its length, and every value as a dot."""
    values = [mark.value for row in rows for mark in row.marks]
    picture, axis = _frame(rows, values, unit, label, pitch=64, left=120)
    for row, y in _lines(picture, rows, pitch=64, left=120):
        if not row.marks:
            continue
        of_row = [mark.value for mark in row.marks]
        known = summarise(of_row)
        reach = 1.5 * (known.p75 - known.p25)
        low = min(v for v in of_row if v >= known.p25 - reach)
        high = max(v for v in of_row if v <= known.p75 + reach)
        picture.line(axis.at(low), y, axis.at(high), y, "whisker")
        for end in (low, high):
            picture.line(axis.at(end), y - 8, axis.at(end), y + 8, "whisker")
        left = axis.at(known.p25)
        picture.rectangle(left, y - 17, axis.at(known.p75) - left, 34, "box")
        for number, mark in enumerate(row.marks):
            # Apart from each other, the same in every report.
            shift = (number * 7 % 11 - 5) * 2.2
            with picture.mark(mark.href, mark.hint):
                picture.dot(axis.at(mark.value), y + shift, 3.4, f"dot {mark.style}")
        middle = axis.at(known.median)
        picture.line(middle, y - 17, middle, y + 17, "median")
        picture.text(middle, y - 22, short(known.median), "value middle")
    return picture.svg()


def _frame(
    rows: Sequence[Row],
    values: Sequence[float],
    unit: str,
    label: str,
    pitch: int,
    left: int,
    logarithmic: bool = True,
) -> tuple[Picture, Axis]:
    height = _TOP + pitch * len(rows) + _BELOW
    picture = Picture(_WIDTH, height, label)
    make = log_axis if logarithmic else linear_axis
    axis = make(values, left, _WIDTH - 60)
    below = height - _BELOW
    for tick in axis.ticks():
        x = axis.at(tick)
        picture.line(x, _TOP - 8, x, below, "grid")
        picture.text(x, below + 16, short(tick), "tick middle")
        if len(rows) > 20:
            picture.text(x, _TOP - 12, short(tick), "tick middle")
    picture.text((axis.start + axis.end) / 2, height - 8, unit, "unit middle")
    return picture, axis


def _lines(picture: Picture, rows: Sequence[Row], pitch: int, left: int) -> list[tuple[Row, float]]:
    placed = [(row, _TOP + pitch * (number + 0.5)) for number, row in enumerate(rows)]
    for row, y in placed:
        picture.text(left - 10, y + 4, row.label, "name end")
    return placed
