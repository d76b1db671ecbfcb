# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What charts are drawn with: a picture in pixels, and axes that turn values into pixels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape

_MOST_DECADES_WITH_HALVES = 2
_LEAST_DECADES = 0.6


class Picture:
    """An SVG element; styles are classes of the page's style sheet."""

    def __init__(self, width: int, height: int, label: str) -> None:
        """Begin an empty one; `label` is for those who can't see it."""
        self._size = (width, height)
        self._label = label
        self._parts: list[str] = []

    def line(self, x1: float, y1: float, x2: float, y2: float, style: str) -> None:
        """Draw a line."""
        self._parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{style}"/>'
        )

    def path(self, points: Sequence[tuple[float, float]], style: str) -> None:
        """Draw a line through points."""
        steps = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._parts.append(f'<polyline points="{steps}" class="{style}"/>')

    def rectangle(self, x: float, y: float, width: float, height: float, style: str) -> None:
        """Draw a filled rectangle."""
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.0):.1f}" height="{height:.1f}" '
            f'class="{style}"/>'
        )

    def tile(self, x: float, y: float, width: float, height: float, share: float) -> None:
        """Draw a rectangle coloured by a share from 0, cool, to 1, hot."""
        hue = 48.0 - 36.0 * share
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4" '
            f'class="tile" style="fill:hsl({hue:.0f} 84% {90.0 - 26.0 * share:.0f}%)"/>'
        )

    def dot(self, x: float, y: float, radius: float, style: str) -> None:
        """Draw a circle."""
        self._parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" class="{style}"/>')

    def text(self, x: float, y: float, words: str, style: str = "", turned: bool = False) -> None:
        """Write words, their baseline at a point."""
        turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
        self._parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" class="{style}"{turn}>{escape(words)}</text>'
        )

    @contextmanager
    def mark(self, href: str, hint: str) -> Iterator[None]:
        """Make what is drawn inside a link to where it comes from."""
        self._parts.append(f'<a href="{escape(href)}" class="mark"><title>{escape(hint)}</title>')
        yield
        self._parts.append("</a>")

    def svg(self) -> str:
        """Return the element."""
        width, height = self._size
        return (
            f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
            f'aria-label="{escape(self._label)}" class="chart">{"".join(self._parts)}</svg>'
        )


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high` on pixels from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = True

    def at(self, value: float) -> float:
        """Return the pixel; what lies beyond an end is put on it."""
        value = min(max(value, self.low), self.high)
        if self.logarithmic:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return round values within the ends."""
        return self._decades() if self.logarithmic else self._steps()

    def _decades(self) -> list[float]:
        decades = math.log10(self.high / self.low)
        if decades < _LEAST_DECADES:
            return self._steps()
        factors = (1.0, 2.0, 5.0) if decades <= _MOST_DECADES_WITH_HALVES else (1.0,)
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        values = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
        return [v for v in values if self.low * 0.999 <= v <= self.high * 1.001]

    def _steps(self) -> list[float]:
        rough = (self.high - self.low) / 5.0
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1.0, 2.0, 5.0, 10.0) if unit * factor >= rough)
        first = math.ceil(self.low / step)
        return [n * step for n in range(first, math.floor(self.high / step * 1.0001) + 1)]


def log_axis(values: Sequence[float], start: float, end: float) -> Axis:
    """Return an axis around positive values, with room at both ends."""
    low, high = min(values), max(values)
    margin = max((high / low) ** 0.04, 1.12)
    return Axis(low / margin, high * margin, start, end)


def linear_axis(values: Sequence[float], start: float, end: float) -> Axis:
    """Return an axis from zero to a little beyond the largest value."""
    return Axis(0.0, (max(values) or 1.0) * 1.06, start, end, logarithmic=False)


def short(value: float) -> str:
    """Return a number with three significant digits, for people."""
    if value == 0.0:
        return "0"
    size = abs(value)
    if size >= 999.5:
        return f"{value:,.0f}"
    digits = max(0, 2 - math.floor(math.log10(size) + 1e-9))
    if digits > 6:
        return f"{value:.1e}"
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
