# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The kinds of charts with two axes, as SVG; every mark is a link to its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pqc_bench.report.svg import Axis, Picture, log_axis, short

_WIDTH = 1200
_HEIGHT = 480
_LEFT = 78
_RIGHT = 24
_TOP = 18
_BELOW = 52
_DECADE_STEPS = 24
_NOTE_WIDTH = 250


@dataclass(frozen=True)
class Point:
    """A thing with two values; `note` is written beside it."""

    x: float
    y: float
    href: str
    hint: str
    style: str
    note: str = ""


@dataclass(frozen=True)
class Curve:
    """A line through points in their order, named at its right end."""

    name: str
    href: str
    style: str
    points: list[tuple[float, float]] = field(repr=False)


def scatter(
    points: Sequence[Point],
    x_unit: str,
    y_unit: str,
    label: str,
    through: Sequence[tuple[float, float]] = (),
    diagonal: bool = False,
) -> str:
    """Draw points on logarithmic axes; `through` is joined, `diagonal` draws x = y."""
    xs, ys = [point.x for point in points], [point.y for point in points]
    if diagonal:
        xs = ys = xs + ys
    picture, across, up = _frame(xs, ys, x_unit, y_unit, label)
    if diagonal:
        picture.path([(across.at(v), up.at(v)) for v in (across.low, across.high)], "diagonal")
    if through:
        picture.path([(across.at(x), up.at(y)) for x, y in through], "through")
    for point in points:
        x, y = across.at(point.x), up.at(point.y)
        with picture.mark(point.href, point.hint):
            picture.dot(x, y, 7.0 if point.note else 4.8, f"dot {point.style}")
    _notes(picture, [(across.at(p.x), up.at(p.y), p.note) for p in points if p.note])
    return picture.svg()


def curves(lines: Sequence[Curve], x_unit: str, y_unit: str, label: str) -> str:
    """Draw lines on logarithmic axes."""
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points]
    picture, across, up = _frame(xs, ys, x_unit, y_unit, label, right=270)
    taken: list[float] = []
    for line in sorted(lines, key=lambda line: -line.points[-1][1]):
        with picture.mark(line.href, line.name):
            picture.path([(across.at(x), up.at(y)) for x, y in line.points], f"curve {line.style}")
        y = up.at(line.points[-1][1])
        while any(abs(y - other) < 13.0 for other in taken):
            y += 1.0
        taken.append(y)
        picture.text(across.end + 8, y + 4, line.name, f"name {line.style}")
    return picture.svg()


def _notes(picture: Picture, notes: Sequence[tuple[float, float, str]]) -> None:
    """Write notes above their points, none over another."""
    taken: list[tuple[float, float]] = []
    for x, y, words in sorted(notes, reverse=True):
        high = y - 20.0
        beyond = x > _WIDTH - _NOTE_WIDTH
        left = x - _NOTE_WIDTH if beyond else x
        for other, level in taken:
            if abs(left - other) < _NOTE_WIDTH:
                high = min(high, level - 17.0)
        taken.append((left, high))
        picture.line(x, y - 8, x, high + 3, "lead")
        picture.text(x - 3 if beyond else x + 3, high, words, "note end" if beyond else "note")


def intervals(low: float, high: float) -> list[float]:
    """Return values from low to high, evenly spaced on a logarithmic axis."""
    ratio = (high / low) ** (1.0 / _DECADE_STEPS)
    return [low * ratio**step for step in range(_DECADE_STEPS + 1)]


@dataclass(frozen=True)
class Tile:
    """A value of a heat map; None if there is none."""

    value: float | None
    href: str
    hint: str


def heat(
    rows: Sequence[str], columns: Sequence[str], tiles: Sequence[Sequence[Tile]], label: str
) -> str:
    """Draw a tile for each row and column, coloured from the least to the largest value."""
    left, top, wide, high = 100, 34, 118, 42
    known = [tile.value for line in tiles for tile in line if tile.value is not None]
    low, most = min(known), max(known)
    picture = Picture(left + wide * len(columns) + 4, top + high * len(rows) + 6, label)
    for number, name in enumerate(columns):
        picture.text(left + wide * (number + 0.5), top - 10, name, "name middle")
    for row, name in enumerate(rows):
        y = top + high * row
        picture.text(left - 10, y + high / 2 + 4, name, "name end")
        for column, tile in enumerate(tiles[row]):
            x = left + wide * column
            if tile.value is None:
                picture.text(x + wide / 2, y + high / 2 + 4, "no data", "value middle")
                continue
            share = (tile.value - low) / (most - low) if most > low else 0.5
            with picture.mark(tile.href, tile.hint):
                picture.tile(x + 2, y + 2, wide - 4, high - 4, share)
                picture.text(x + wide / 2, y + high / 2 + 5, short(tile.value), "tiletext middle")
    return picture.svg()


def _frame(
    xs: Sequence[float],
    ys: Sequence[float],
    x_unit: str,
    y_unit: str,
    label: str,
    right: int = _RIGHT,
) -> tuple[Picture, Axis, Axis]:
    picture = Picture(_WIDTH, _HEIGHT, label)
    across = log_axis(xs, _LEFT, _WIDTH - right)
    up = log_axis(ys, _HEIGHT - _BELOW, _TOP)
    for tick in across.ticks():
        x = across.at(tick)
        picture.line(x, up.start, x, up.end, "grid")
        picture.text(x, up.start + 17, short(tick), "tick middle")
    for tick in up.ticks():
        y = up.at(tick)
        picture.line(across.start, y, across.end, y, "grid")
        picture.text(across.start - 8, y + 4, short(tick), "tick end")
    picture.text((across.start + across.end) / 2, _HEIGHT - 10, x_unit, "unit middle")
    picture.text(18, (up.start + up.end) / 2, y_unit, "unit middle", turned=True)
    return picture, across, up
