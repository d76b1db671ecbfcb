# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Draws a flight over time: values with their thresholds, tracks, suites, and the reasons.

Sizes are in pixels unless a name says otherwise. The colours are those of Okabe and Ito, which
colour-blind readers distinguish; position and shape have the same meaning.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, MultipleLocator

from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.inputs import REFERENCE_CELLS
from pqc_policy.policy.suites import find_suite
from pqc_policy.replay.decision_table import short
from pqc_policy.replay.flight_story import routine, story
from pqc_policy.replay.tracks import Lane, Mark, changes, lanes

_DPI = 100
_NARROW = 640  # pictures below it have a smaller font
_INK, _FAINT, _GRID = "#1f2328", "#8a919c", "#e3e6ea"
_BLUE, _RED, _GREEN = "#0072B2", "#D55E00", "#009E73"
_FILLS = {
    "ink": "#3f4650",
    "grey": "#aab2bd",
    "light": "#dde2e8",
    "blue": "#56B4E9",
    "orange": "#E69F00",
    "red": _RED,
    "purple": "#CC79A7",
    "green": _GREEN,
}
# Shape, face and edge.
_MARKS = {
    Mark.ASKED: (">", "white", _BLUE),
    Mark.HELD: ("s", "white", _RED),
    Mark.DONE: ("o", _GREEN, _GREEN),
    Mark.FAILED: ("X", "black", "black"),
}
_LEGEND = "rekeys: ▷ asked  □ held  ● done  ✖ failed"
_TIME_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800)
_VALUES, _TITLE, _LANE, _SUITE = 62, 22, 17, 28  # heights
_MARGIN, _AXIS, _MARK = 10, 34, 11
_MOST_MOMENTS = 16
# Values farther from zero than so many thresholds are cut off.
_CUT = 4.0

At = Callable[[float], Policy]
Limit = Callable[[PolicyConfig, int], float]  # of the parameters and the battery's cells


@dataclass(frozen=True)
class _Panel:
    """A value of an input and its thresholds: name, value, and whether larger values cross it."""

    title: str
    reading: str
    field: str
    limits: tuple[tuple[str, Limit, bool], ...]
    factor: float = 1.0


_PANELS = (
    _Panel(
        "Temperature, °C",
        "thermal",
        "temperature_c",
        (("emergency", lambda c, _: c.emergency_temperature_c, True),),
    ),
    _Panel(
        "Rate of the temperature, °C/min",
        "thermal",
        "rate_c_per_min",
        (("stress", lambda c, _: c.stress_c_per_min, True),),
    ),
    _Panel(
        "Battery, V",
        "battery",
        "voltage_v",
        (("emergency", lambda c, cells: c.pack(cells).emergency_v, False),),
    ),
    _Panel(
        "Rate of the voltage, mV/min",
        "battery",
        "rate_mv_per_min",
        (("stress", lambda c, cells: c.pack(cells).stress_mv_per_min, False),),
    ),
    _Panel(
        "Gap between datagrams (95th percentile), s",
        "link",
        "gap_p95_s",
        (("bad link", lambda c, _: c.link_gap_s, True),),
    ),
)
_EXPERT_PANELS = (
    _Panel(
        "Temperature, °C",
        "thermal",
        "temperature_c",
        (
            ("warm", lambda c, _: c.expert.warm_c, True),
            ("hot", lambda c, _: c.expert.hot_c, True),
            ("emergency", lambda c, _: c.emergency_temperature_c, True),
        ),
    ),
    *_PANELS[1:4],
    _Panel(
        "Charge of the battery, %",
        "battery",
        "charge",
        (
            ("low", lambda c, _: 100 * c.expert.charge_low, False),
            ("critical", lambda c, _: 100 * c.expert.charge_critical, False),
        ),
        100,
    ),
    _PANELS[4],
    _Panel(
        "Datagrams lost, %",
        "link",
        "loss",
        (("bad link", lambda c, _: 100 * c.expert.loss_high, True),),
        100,
    ),
    _Panel(
        "Round trip, ms",
        "link",
        "rtt_s",
        (("bad link", lambda c, _: 1000 * c.expert.rtt_high_s, True),),
        1000,
    ),
)


def draw(decisions: Sequence[Decision], at: At, title: str, file: Path, width: int) -> None:
    """Write the picture as PNG or SVG, by the ending of the file's name.

    `at` returns the policy that decided for a time; the width is in pixels.
    """
    _Picture(decisions, at, width).write(title, file)


class _Picture:
    """Lays out and draws one flight; times are in s since its first decision."""

    def __init__(self, decisions: Sequence[Decision], at: At, width: int) -> None:
        self._decisions = decisions
        self._policies = [at(d.t) for d in decisions]
        batteries = (d.inputs.battery.value for d in decisions)
        self._cells = next((b.cells for b in batteries if b is not None), REFERENCE_CELLS)
        self._begin_s = decisions[0].t
        self._times_s = np.array([d.t - self._begin_s for d in decisions])
        self._end_s = float(self._times_s[-1]) + 1.0
        self._lanes = lanes(decisions, self._policies)
        self._suites = _suites(decisions, self._policies[0])
        moments = story(decisions)
        self._moments, self._more = moments[:_MOST_MOMENTS], len(moments[_MOST_MOMENTS:])
        expert = any(d.strategy == "expert" for d in decisions)
        self._panels = _EXPERT_PANELS if expert else _PANELS
        self._width = width
        self._font = 8.0 if width >= _NARROW else 7.2
        self._character = 0.55 * self._font / 72 * _DPI  # mean width of one
        self._line = 1.45 * self._font / 72 * _DPI
        self._left = 2 * _MARGIN + 1.08 * self._character * max(
            len(lane.name) for lane in self._lanes
        )
        self._plot = width - self._left - 1.5 * _MARGIN

    def write(self, title: str, file: Path) -> None:
        """Draw everything into a file."""
        heading = self._wrapped(title, 1.3)
        captions = self._captions()
        rows = self._number_rows()
        top = _MARGIN + self._line * (len(heading) + 1.2 * (max(rows, default=-1) + 1))
        painters: list[tuple[float, str, str, str, Callable[[Axes], None]]] = [
            *((_VALUES, p.title, self._limits_of(p), _RED, self._painter(p)) for p in self._panels),
            (_LANE * len(self._lanes), "Tracks", _LEGEND, _BLUE, self._draw_lanes),
            (
                _SUITE * len(self._suites) + 8,
                "Suite in use, the heavier the higher",
                "",
                _INK,
                self._draw_suites,
            ),
        ]
        bottom = _AXIS + self._line * len(captions) + _MARGIN
        self._total = top + sum(height + _TITLE for height, *_ in painters) + bottom
        settings = {"font.size": self._font, "axes.edgecolor": _FAINT, "text.color": _INK}
        with matplotlib.rc_context(settings | {"svg.fonttype": "none"}):
            figure = Figure((self._width / _DPI, self._total / _DPI), dpi=_DPI, facecolor="white")
            for row, text in enumerate(heading):
                self._text(figure, _MARGIN, _MARGIN + self._line * row, text, 1, "bold")
            axes: list[Axes] = []
            y = top
            for height, name, note, colour, paint in painters:
                y += _TITLE
                self._text(figure, _MARGIN, y - self._line, name, 0, "bold")
                after = _MARGIN + self._character * (1.2 * len(name) + 2)
                self._text(figure, after, y - self._line, note, 0, "normal", colour)
                axes.append(self._axes(figure, y, height, axes))
                paint(axes[-1])
                y += height
            self._draw_moments(figure, axes, rows, top)
            self._time_axis(axes)
            for row, text in enumerate(captions):
                bold = "bold" if text == captions[0] else "normal"
                self._text(figure, _MARGIN, y + _AXIS + self._line * row, text, 0, bold)
            figure.savefig(file)

    def _axes(self, figure: Figure, y: float, height: float, others: Sequence[Axes]) -> Axes:
        box = (
            self._left / self._width,
            1 - (y + height) / self._total,
            self._plot / self._width,
            height / self._total,
        )
        ax: Axes = figure.add_axes(box, sharex=others[0] if others else None)
        ax.grid(True, color=_GRID, linewidth=0.7)
        ax.set_axisbelow(True)
        ax.tick_params(length=0, labelbottom=False)
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        return ax

    def _text(
        self,
        figure: Figure,
        x: float,
        y: float,
        text: str,
        larger: float,
        weight: str,
        colour: str = _INK,
    ) -> None:
        figure.text(
            x / self._width,
            1 - y / self._total,
            text,
            va="top",
            fontsize=self._font + larger,
            fontweight=weight,
            color=colour,
        )

    def _wrapped(self, text: str, scale: float = 1.0, indent: int = 0) -> list[str]:
        most = max(20, int((self._width - 2.5 * _MARGIN) / (scale * self._character)))
        return textwrap.wrap(text, most, subsequent_indent=" " * indent)

    # Values with their thresholds

    def _limits_of(self, panel: _Panel) -> str:
        config = self._policies[0].config
        parts = (
            f"{name} {'above' if above else 'below'} {limit(config, self._cells):g}"
            for name, limit, above in panel.limits
        )
        return f"- - {', '.join(parts)}"

    def _painter(self, panel: _Panel) -> Callable[[Axes], None]:
        return lambda ax: self._draw_values(ax, panel)

    def _draw_values(self, ax: Axes, panel: _Panel) -> None:
        values = np.array([self._value(panel, i) for i in range(len(self._decisions))])
        drawn = values[np.isfinite(values)]
        bounds = []
        for _, limit, above in panel.limits:
            limits = np.array([limit(policy.config, self._cells) for policy in self._policies])
            ax.step(self._times_s, limits, where="post", color=_RED, lw=1.0, ls=(0, (5, 3)))
            beyond = values > limits if above else values < limits
            ax.fill_between(
                self._times_s, values, limits, where=beyond, color=_RED, alpha=0.35, lw=0
            )
            bounds += [limits.min(), limits.max()]
        cut = _CUT * max(map(abs, bounds))
        seen = [*np.clip(drawn, -cut, cut), *bounds]
        low, high = min(seen), max(seen)
        margin = 0.1 * (high - low) or 1.0
        ax.set_ylim(low - margin, high + margin)
        ax.yaxis.set_major_locator(MaxNLocator(3))
        ax.plot(self._times_s, values, color=_BLUE, linewidth=1.3)
        if not drawn.size:
            ax.text(0.5, 0.4, "no values received", transform=ax.transAxes, ha="center")

    def _value(self, panel: _Panel, index: int) -> float:
        stale_s = self._policies[index].config.stale_s
        reading = getattr(self._decisions[index].inputs, panel.reading).fresh(stale_s)
        value = None if reading is None else getattr(reading, panel.field)
        return panel.factor * value if value is not None and isfinite(value) else nan

    # Tracks and suites

    def _draw_lanes(self, ax: Axes) -> None:
        count = len(self._lanes)
        pixel_s = self._end_s / self._plot
        for row, lane in enumerate(self._lanes):
            y = count - 1 - row
            for span in lane.spans:
                begin_s = span.begin_s - self._begin_s
                seconds = max(span.end_s - span.begin_s, 2 * pixel_s)
                ax.barh(y, seconds, 0.72, begin_s, color=_FILLS[span.fill], linewidth=0)
                if len(span.text) * self._character < seconds / pixel_s:
                    dark = span.fill in ("ink", "red")
                    ax.text(
                        begin_s + seconds / 2,
                        y,
                        span.text,
                        ha="center",
                        va="center_baseline",
                        color="white" if dark else _INK,
                    )
            self._draw_marks(ax, y, lane)
            if lane.note:
                ax.text(2 * pixel_s, y, lane.note, va="center_baseline", color=_FAINT)
        ax.set_ylim(-0.6, count - 0.4)
        ax.set_yticks(range(count), [lane.name for lane in reversed(self._lanes)])
        ax.grid(False, axis="y")
        for row in range(1, count):
            ax.axhline(row - 0.5, color=_GRID, linewidth=0.7, zorder=0)

    def _draw_marks(self, ax: Axes, y: float, lane: Lane) -> None:
        for mark in Mark:
            times_s = [t - self._begin_s for t, one in lane.marks if one is mark]
            self._mark(ax, times_s, [y] * len(times_s), mark)

    def _mark(self, ax: Axes, xs: Sequence[float], ys: Sequence[float], mark: Mark) -> None:
        shape, face, edge = _MARKS[mark]
        dense = len(xs) * _MARK > 0.7 * self._plot
        ax.plot(
            xs,
            ys,
            linestyle="",
            marker=shape,
            markersize=_MARK / 3 if dense else _MARK / 2,
            markerfacecolor=face,
            markeredgecolor=edge,
            markeredgewidth=1.1,
            clip_on=False,
            zorder=4,
        )

    def _draw_suites(self, ax: Axes) -> None:
        rows = {suite: row for row, suite in enumerate(self._suites)}
        current = [float(rows[d.from_suite]) if d.from_suite else nan for d in self._decisions]
        ends_s = [*self._times_s, self._end_s]
        ax.step(ends_s, [*current, current[-1]], where="post", color=_INK, linewidth=2.2)
        steps = [s for s in changes(self._decisions) if s.suite in rows and s.other]
        for mark in (Mark.ASKED, Mark.DONE, Mark.FAILED):
            those = [s for s in steps if s.mark is mark]
            self._mark(
                ax, [s.t - self._begin_s for s in those], [rows[s.suite] for s in those], mark
            )
        for suite, row in rows.items():
            ax.annotate(
                short(suite),
                (0, row),
                xytext=(3, 4),
                textcoords="offset points",
                bbox={"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 0.5},
            )
        ax.set_yticks(range(len(rows)), [""] * len(rows))
        ax.set_ylim(-0.45, len(rows) - 0.15)

    # Moments, times and captions

    def _number_rows(self) -> list[int]:
        """Return the row of each moment's number, so that numbers do not touch."""
        ends = [-1e9] * 4
        rows = []
        for moment in self._moments:
            x = (moment.t - self._begin_s) / self._end_s * self._plot
            row = next((i for i, end in enumerate(ends) if x - end > 2.6 * self._character), 0)
            ends[row] = x
            rows.append(row)
        return rows

    def _draw_moments(
        self, figure: Figure, axes: Sequence[Axes], rows: Sequence[int], top: float
    ) -> None:
        for number, (moment, row) in enumerate(zip(self._moments, rows, strict=True), start=1):
            x_s = moment.t - self._begin_s
            for ax in axes:
                ax.axvline(x_s, color=_FAINT, linewidth=0.8, linestyle=":", zorder=1)
            figure.text(
                (self._left + x_s / self._end_s * self._plot) / self._width,
                1 - (top - self._line * (1.2 * row + 0.2)) / self._total,
                str(number),
                ha="center",
                va="center",
                color="white",
                fontweight="bold",
                fontsize=self._font - 0.5,
                bbox={"boxstyle": "round,pad=0.18", "facecolor": _INK, "edgecolor": "none"},
            )

    def _captions(self) -> list[str]:
        lines = ["Why"] if self._moments else []
        for number, moment in enumerate(self._moments, start=1):
            lines += self._wrapped(
                f"{number}  {_clock(moment.t - self._begin_s)}  {moment.text}", indent=4
            )
        if self._more:
            lines.append(f"… and {self._more} more: see the log.")
        return [*lines, *self._wrapped(routine(self._decisions))]

    def _time_axis(self, axes: Sequence[Axes]) -> None:
        most = max(2, int(self._plot / (9 * self._character)))
        step_s = next((s for s in _TIME_STEPS_S if self._end_s / s <= most), _TIME_STEPS_S[-1])
        axes[0].set_xlim(0, self._end_s)
        axes[-1].tick_params(labelbottom=True)
        axes[-1].xaxis.set_major_locator(MultipleLocator(step_s))
        # A label at the right edge would be cut off.
        fits_s = self._end_s * (1 - 2.5 * self._character / self._plot)
        axes[-1].xaxis.set_major_formatter(
            FuncFormatter(lambda s, _: _clock(s) if s <= fits_s else "")
        )


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _suites(decisions: Sequence[Decision], policy: Policy) -> list[str]:
    """Return the suites that were used or decided for, lightest first."""
    used = {suite for d in decisions for suite in (d.from_suite, d.to_suite) if suite}

    def weight(suite_id: str) -> tuple[int, float, str]:
        suite = find_suite(suite_id)
        return policy.order.weight(suite) if suite is not None else (1000, 0.0, suite_id)

    return sorted(used, key=weight)
