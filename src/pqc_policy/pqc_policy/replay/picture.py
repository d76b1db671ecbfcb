# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Draws a flight over time: telemetry, deciding rules, suites and rekeys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from math import inf, nan
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, MultipleLocator

from pqc_policy.policy.decision import Action, Decision
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.suites import find_suite
from pqc_policy.replay.decision_table import short

_WIDTH_IN = 13.0
_DPI = 110
_INK, _FAINT = "#30343b", "#8a919c"
_WARM, _BLUE, _GREEN, _RED = "#c2410c", "#1d4ed8", "#15803d", "#b91c1c"

# In the order of the legend; rules that are not named here are drawn like `balanced`.
_RULES = {
    "safety": ("#9ca3af", "safety: an input is missing"),
    "emergency": ("#dc2626", "emergency"),
    "blackout": ("#7c3aed", "blackout"),
    "cooldown": ("#93c5fd", "cooldown"),
    "link": ("#f59e0b", "link"),
    "stress": ("#f472b6", "stress"),
    "thermal": ("#ea580c", "thermal"),
    "battery": ("#ca8a04", "battery"),
    "advisor": ("#9333ea", "advisor"),
    "rekey": ("#22c55e", "rekey"),
    "upgrade": ("#14b8a6", "upgrade"),
    "balanced": ("#dbeafe", "balanced"),
    "nominal": ("#e8edf3", "nominal"),
}
_TIME_STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600)
_QUIET = {"nominal", "balanced", "cooldown", "rekey", "upgrade"}
_MARKS = {
    Action.DOWN: ("v", _RED, "down"),
    Action.DOWN_TO_LIGHTEST: ("X", _RED, "down to the lightest"),
    Action.ROLLBACK: ("<", "#7c3aed", "rollback"),
    Action.UPGRADE: ("^", _GREEN, "upgrade"),
}

Column = Callable[[Decision], float | None]


def draw(decisions: Sequence[Decision], policy: Policy, title: str, file: Path) -> None:
    """Write the picture as PNG or SVG, by the ending of the file's name."""
    matplotlib.rcParams.update(
        {"font.size": 9.5, "axes.edgecolor": _FAINT, "text.color": _INK, "svg.fonttype": "none"}
    )
    suites = _suites(decisions, policy)
    suite_height = max(1.1, 0.34 * len(suites) + 0.4)
    heights = [1.5, 1.5, 1.5, 0.32, suite_height]
    figure = Figure(figsize=(_WIDTH_IN, sum(heights) + 2.1), dpi=_DPI, layout="constrained")
    figure.get_layout_engine().set(h_pad=0.03, hspace=0.02)  # type: ignore[union-attr]
    axes: Sequence[Axes] = figure.subplots(
        len(heights), 1, sharex=True, gridspec_kw={"height_ratios": heights}
    )
    figure.suptitle(title, x=0.01, ha="left", fontsize=11.5, fontweight="bold")
    flight = _Flight(decisions, policy)
    flight.temperature(axes[0])
    flight.battery(axes[1])
    flight.link(axes[2])
    for ax in axes[:3]:
        flight.shade(ax)
    flight.rules(axes[3])
    flight.suites(axes[4], suites)
    _time_axis(axes[-1], flight.end_s)
    for handles, place in (
        (flight.rule_legend(), "outside lower left"),
        (flight.mark_legend(), "outside lower right"),
    ):
        figure.legend(
            handles=handles,
            loc=place,
            ncols=8,
            frameon=False,
            fontsize=9,
            handlelength=1.3,
            columnspacing=1.4,
        )
    figure.savefig(file)


class _Flight:
    """The decisions over time; each covers the second after it."""

    def __init__(self, decisions: Sequence[Decision], policy: Policy) -> None:
        self.decisions = decisions
        self.config = policy.config
        self.begin_s = decisions[0].t
        self.times_s = [d.t - self.begin_s for d in decisions]
        self.end_s = self.times_s[-1] + 1.0

    def _column(self, value: Column) -> list[float]:
        return [nan if (v := value(d)) is None else v for d in self.decisions]

    def _line(self, ax: Axes, value: Column, colour: str, label: str, grid: bool = True) -> None:
        numbers = self._column(value)
        ax.plot(self.times_s, numbers, color=colour, linewidth=1.4, label=label)
        ax.set_ylabel(label, color=colour)
        ax.tick_params(axis="y", labelcolor=colour, color=_FAINT)
        _plain(ax, grid)
        if all(number != number for number in numbers):
            ax.set_yticks([])

    def temperature(self, ax: Axes) -> None:
        """Draw the computer's temperature with the thresholds near it."""
        stale_s = self.config.stale_s
        self._line(
            ax,
            lambda d: t.temperature_c if (t := d.inputs.thermal.fresh(stale_s)) else None,
            _WARM,
            "temperature, °C",
        )
        limits = [(self.config.emergency_temperature_c, "emergency", _RED)]
        if self.decisions[0].strategy == "expert":
            limits += [
                (self.config.expert.warm_c, "warm", _WARM),
                (self.config.expert.hot_c, "hot", _WARM),
            ]
        _limits(ax, limits)

    def battery(self, ax: Axes) -> None:
        """Draw voltage and predicted charge."""
        stale_s = self.config.stale_s
        self._line(
            ax,
            lambda d: b.voltage_v if (b := d.inputs.battery.fresh(stale_s)) else None,
            _BLUE,
            "voltage, V",
        )
        _limits(ax, [(self.config.emergency_pack_v, "emergency", _RED)])

        def charge(d: Decision) -> float | None:
            battery = d.inputs.battery.fresh(stale_s)
            return None if battery is None or battery.charge is None else 100 * battery.charge

        right = ax.twinx()
        self._line(right, charge, _GREEN, "charge, %", grid=False)
        right.set_ylim(0, 105)

    def link(self, ax: Axes) -> None:
        """Draw spacing and loss of datagrams, with the blackouts as ticks."""
        stale_s = self.config.stale_s
        self._line(
            ax,
            lambda d: v.gap_p95_s if (v := d.inputs.link.fresh(stale_s)) else None,
            _INK,
            "gap p95, s",
        )
        ax.set_ylim(0, 1.12 * ax.get_ylim()[1])
        _limits(ax, [(self.config.link_gap_s, "bad link", "#b45309")])

        def loss(d: Decision) -> float | None:
            view = d.inputs.link.fresh(stale_s)
            return None if view is None or view.loss is None else 100 * view.loss

        right = ax.twinx()
        self._line(right, loss, "#7e22ce", "loss, %", grid=False)
        right.set_ylim(0, max(10.0, right.get_ylim()[1]))

    def _runs(self) -> Iterator[tuple[str, float, float]]:
        """Yield rule, begin and end of every run of decisions by the same rule."""
        timed = zip(self.times_s, self.decisions, strict=True)
        for rule, run in groupby(timed, key=lambda entry: entry[1].rule):
            times = [time for time, _ in run]
            yield rule, times[0], times[-1] + 1.0

    def shade(self, ax: Axes) -> None:
        """Colour the background while a rule other than those in _QUIET decides."""
        for rule, begin, end in self._runs():
            if rule not in _QUIET:
                ax.axvspan(begin, end, color=_colour(rule), alpha=0.16, linewidth=0)

    def rules(self, ax: Axes) -> None:
        """Draw a band with the rule of each decision."""
        for rule, begin, end in self._runs():
            ax.axvspan(begin, end, color=_colour(rule), linewidth=0)
        ax.set_yticks([])
        ax.set_ylabel("rule", rotation=0, ha="right", va="center")
        for spine in ax.spines.values():
            spine.set_visible(False)
        ax.tick_params(axis="x", length=0)

    def suites(self, ax: Axes, suites: Sequence[str]) -> None:
        """Draw the suite in use as steps, decided changes as marks and rekeys as ticks."""
        rows = {suite: row for row, suite in enumerate(suites)}
        current = [
            nan if d.from_suite is None else float(rows[d.from_suite]) for d in self.decisions
        ]
        ends = [*self.times_s, self.end_s]
        ax.step(ends, [*current, current[-1]], where="post", color=_INK, linewidth=1.8)
        for time, d in zip(self.times_s, self.decisions, strict=True):
            if d.to_suite is None:
                continue
            row = rows[d.to_suite]
            if d.action is Action.REKEY:
                ax.plot([time, time], [row - 0.28, row + 0.28], color=_colour("rekey"), lw=2)
            else:
                marker, colour, _ = _MARKS[d.action]
                ax.plot(
                    *(time, row, marker),
                    color=colour,
                    markersize=8,
                    markeredgecolor="white",
                    clip_on=False,
                    zorder=3,
                )
        ax.set_yticks(range(len(suites)), [short(suite) for suite in suites])
        ax.set_ylim(-0.6, len(suites) - 0.4)
        ax.set_ylabel("suite, the heavier the higher")
        _plain(ax)

    def rule_legend(self) -> list[Patch]:
        """Return an entry for every rule that decided."""
        decided = {d.rule for d in self.decisions}
        known = [Patch(color=c, label=label) for g, (c, label) in _RULES.items() if g in decided]
        others = sorted(decided - _RULES.keys())
        return known + [Patch(color=_colour(rule), label=rule) for rule in others]

    def mark_legend(self) -> list[Line2D]:
        """Return an entry for every action that was decided."""
        decided = {d.action for d in self.decisions}
        entries = [
            Line2D([], [], marker=m, color=c, linestyle="", markersize=8, label=label)
            for action, (m, c, label) in _MARKS.items()
            if action in decided
        ]
        if Action.REKEY in decided:
            colour = _colour("rekey")
            entries.append(
                Line2D(
                    [], [], marker="|", color=colour, linestyle="", ms=11, mew=2, label="fresh keys"
                )
            )
        return entries


def _suites(decisions: Sequence[Decision], policy: Policy) -> list[str]:
    """Return the suites that were used or decided for, lightest first."""
    used = {suite for d in decisions for suite in (d.from_suite, d.to_suite) if suite is not None}

    def weight(suite_id: str) -> tuple[int, float, str]:
        suite = find_suite(suite_id)
        return policy.order.weight(suite) if suite is not None else (1000, 0.0, suite_id)

    return sorted(used, key=weight)


def _colour(rule: str) -> str:
    return _RULES.get(rule, _RULES["balanced"])[0]


def _limits(ax: Axes, limits: Sequence[tuple[float, str, str]]) -> None:
    """Draw the thresholds near the values; others would stretch the axis."""
    low, high = ax.get_ylim()
    margin = 0.6 * (high - low)
    numbers = ax.lines[0].get_ydata()
    for value, label, colour in limits:
        if not low - margin <= value <= high + margin:
            continue
        ax.axhline(value, color=colour, linewidth=0.9, linestyle=(0, (5, 3)))
        ax.annotate(
            label,
            xy=(_free_place([float(number) for number in numbers], value), value),
            xycoords=("axes fraction", "data"),
            xytext=(6, 3),
            textcoords="offset points",
            ha="left",
            va="bottom",
            fontsize=8,
            color=colour,
            bbox={"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 1},
        )
    ax.margins(y=0.12)


def _free_place(numbers: Sequence[float], value: float) -> float:
    """Return the position (0 to 1) on the axis where the numbers are farthest from a value."""
    places = [0.0, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9]

    def room(place: float) -> float:
        part = numbers[int(place * len(numbers)) : int((place + 0.1) * len(numbers)) + 1]
        return min((abs(number - value) for number in part if number == number), default=inf)

    return max(places, key=lambda place: (room(place), -place))


def _plain(ax: Axes, grid: bool = True) -> None:
    ax.grid(grid, axis="both", **({"color": "#e5e7eb", "linewidth": 0.7} if grid else {}))
    ax.set_axisbelow(True)
    ax.spines["top"].set_visible(False)
    ax.tick_params(axis="x", length=0)


def _time_axis(ax: Axes, end_s: float) -> None:
    def clock(seconds: float, position: int) -> str:
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes}:{rest:02d}"

    ax.set_xlim(0, end_s)
    step_s = next((step for step in _TIME_STEPS_S if end_s / step <= 14), _TIME_STEPS_S[-1])
    ax.xaxis.set_major_locator(MultipleLocator(step_s))
    ax.xaxis.set_major_formatter(FuncFormatter(clock))
    ax.set_xlabel("time, min:s")
