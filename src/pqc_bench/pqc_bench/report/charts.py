# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The charts of the report, as Vega-Lite specifications; each mark links to its source.

A chart takes its width from the page. Its rows of data are dictionaries; all have `hint` (shown at
the pointer), `href` (the source) and, where colours matter, `group`. With `low` and `high` a mark
gets an error bar; with `disturbed` it is a triangle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any, Literal

import altair as alt
import vl_convert

Datum = dict[str, Any]
# A specification with its data.
Chart = dict[str, Any]
_DATA = alt.NamedData("marks")
# Blue, amber, red, green, violet: groups keep their colours in all charts.
_PALETTE = ("#2f7ad9", "#e09a24", "#cc4436", "#2a9d74", "#8e5bd0")
_GREY = "#8a97a6"
# The colour of the text around the chart, light or dark.
_INK = "currentColor"
# Fewer values have no quartiles.
_LEAST_BOXED = 5
_FONT_SIZE = 12
_NUMBER = ",.3~r"
_HEIGHT = 420


@cache
def script() -> str:
    """Return the JavaScript that draws specifications: `vegaEmbed` and all that it needs."""
    version = alt.SCHEMA_VERSION.rpartition(".")[0]
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)


def ranking(data: Sequence[Datum], x_title: str, groups: Sequence[str]) -> Chart:
    """Draw a dot with its value for each `label`, and a tick at `also`."""
    base = _rows(x_title, step=17, axis_at="top")
    dots = _linked(base.mark_point(size=70), groups, data)
    values = base.mark_text(align="left", dx=8).encode(
        alt.X("right:Q"), text=alt.Text("value:Q", format=_NUMBER)
    )
    ticks = base.mark_tick(thickness=2, size=10, color=_GREY).encode(x="also:Q")
    # The value stands to the right of its error bar.
    placed = [{**datum, "right": datum.get("high") or datum["value"]} for datum in data]
    return _specification(alt.layer(_bars(base, "x"), ticks, dots, values), placed)


def dumbbells(data: Sequence[Datum], x_title: str, groups: Sequence[str]) -> Chart:
    """Draw the dots of each `label` on a line."""
    base = _rows(x_title, step=26)
    ends = base.mark_rule(size=3, color=_GREY, opacity=0.4)
    ends = ends.encode(alt.X("min(value):Q"), alt.X2("max(value):Q"))
    dots = _linked(base.mark_point(size=110), groups, data)
    return _specification(alt.layer(ends, _bars(base, "x"), dots), data)


def spreads(data: Sequence[Datum], x_title: str, groups: Sequence[str]) -> Chart:
    """Draw the percentiles of each `label`: 5 to 95, 25 to 75, and the median `value`."""
    base = _rows(x_title, step=26)
    most = base.mark_rule(size=1.5, color=_GREY).encode(alt.X("p5:Q"), alt.X2("p95:Q"))
    half = base.mark_rule(size=9, color=_GREY, opacity=0.5).encode(alt.X("p25:Q"), alt.X2("p75:Q"))
    return _specification(
        alt.layer(most, half, _linked(base.mark_point(size=70), groups, data)), data
    )


def lines(data: Sequence[Datum], x_title: str, y_title: str, groups: Sequence[str]) -> Chart:
    """Draw `y` over `x` as a line for each group, both axes linear."""
    base = alt.Chart(_DATA, height=_HEIGHT).encode(
        alt.X("x:Q", title=x_title), alt.Y("y:Q", title=y_title, scale=alt.Scale(zero=False))
    )
    return _specification(_linked(base.mark_line(size=1.5, fill=None), groups, data), data)


def boxes(
    data: Sequence[Datum], x_title: str, groups: Sequence[str], *, linear: bool = False
) -> Chart:
    """Draw every value of each `label`, and from _LEAST_BOXED values on a box of their quartiles.

    The whiskers go to 1.5 box lengths.
    """
    base = _rows(x_title, step=64, linear=linear)
    box = base.mark_boxplot(
        extent=1.5, size=30, outliers=False, color=_GREY, opacity=0.5, median={"color": _INK}
    ).transform_filter("datum.boxed")
    counts = Counter(datum["label"] for datum in data)
    # The dots of a row lie beside each other, in the same places in every report.
    spread = [
        {**datum, "shift": place * 7 % 11, "boxed": counts[datum["label"]] >= _LEAST_BOXED}
        for place, datum in enumerate(data)
    ]
    shift = alt.YOffset("shift:Q", scale=alt.Scale(domain=[-8, 18]))
    dots = _linked(base.mark_point(size=36), groups, data).encode(shift)
    return _specification(box + dots, spread)


def scatter(
    data: Sequence[Datum],
    x_title: str,
    y_title: str,
    groups: Sequence[str],
    through: Sequence[tuple[float, float]] = (),
    diagonal: bool = False,
) -> Chart:
    """Draw `x` and `y` on logarithmic axes; `note` is written beside a dot.

    A dashed line joins `through`; `diagonal` draws x = y.
    """
    base = alt.Chart(_DATA, height=_HEIGHT)
    base = base.encode(_log(alt.X("x:Q"), x_title), _log(alt.Y("y:Q"), y_title))
    line = list(through)
    if diagonal:
        values = [datum[axis] for datum in data for axis in "xy"]
        line = [(value, value) for value in (min(values), max(values))]
    joined = alt.Chart(alt.Data(values=[{"x": x, "y": y} for x, y in line]))
    joined = joined.mark_line(color=_GREY, strokeDash=[5, 4], size=1.5).encode(x="x:Q", y="y:Q")
    dots = _linked(base.mark_point(size=70), groups, data)
    noted = sorted((datum for datum in data if datum.get("note")), key=lambda datum: datum["x"])
    # Each note stands higher than those to the left of it, over which it may reach.
    notes = [
        alt.Chart(alt.Data(values=[datum]))
        .mark_text(dy=-14 - 15 * place, align="left", fontWeight="bold")
        .encode(x="x:Q", y="y:Q", text="note:N")
        for place, datum in enumerate(noted)
    ]
    return _specification(alt.layer(joined, _bars(base, "y"), dots, *notes), data)


def curves(data: Sequence[Datum], x_title: str, y_title: str, groups: Sequence[str]) -> Chart:
    """Draw a line for each `name`, in the colour of its group."""
    names = list(dict.fromkeys(datum["name"] for datum in data))
    group = {datum["name"]: datum["group"] for datum in data}
    seen: dict[str, int] = {}
    dashes = []
    for name in names:
        seen[group[name]] = seen.get(group[name], -1) + 1
        dashes.append([1, 0] if not seen[group[name]] else [6, 4])
    legend = alt.Legend(title=None, orient="top", columns=1, symbolSize=400, labelLimit=500)
    colours = [_colour(group[name], groups) for name in names]
    chart = alt.Chart(_DATA, height=_HEIGHT).mark_line(size=2.5)
    return _specification(
        chart.encode(
            _log(alt.X("x:Q"), x_title),
            _log(alt.Y("y:Q"), y_title),
            alt.Color("name:N", legend=legend, scale=alt.Scale(domain=names, range=colours)),
            alt.StrokeDash("name:N", legend=legend, scale=alt.Scale(domain=names, range=dashes)),
            tooltip="name:N",
            href="href:N",
        ),
        data,
    )


def heat(data: Sequence[Datum]) -> Chart:
    """Draw a tile for each `row` and `column`, coloured by its `value`; None is an empty tile."""
    known = [datum for datum in data if datum["value"] is not None]
    base = alt.Chart(_DATA, height=alt.Step(42)).encode(
        alt.X("column:N", sort=None, title=None, axis=alt.Axis(orient="top", labelAngle=0)),
        alt.Y("row:N", sort=None, title=None),
    )
    scale = alt.Scale(range=["#fdf1d0", "#ee7d62"], zero=False)
    colour = alt.Color("value:Q", scale=scale)
    colour = colour.legend(title=None, orient="bottom", gradientLength=180)
    tiles = base.mark_rect(cornerRadius=4, cursor="pointer").encode(
        colour, tooltip="hint:N", href="href:N"
    )
    values = base.mark_text(fontSize=13).encode(alt.Text("value:Q", format=_NUMBER))
    return _specification(tiles + values, known)


def present(groups: Sequence[str], data: Sequence[Datum]) -> list[str]:
    """Return the groups that occur in the data, in the given order."""
    found = {datum["group"] for datum in data}
    return [group for group in groups if group in found]


def _rows(
    x_title: str, step: int, axis_at: Literal["top", "bottom"] = "bottom", *, linear: bool = False
) -> alt.Chart:
    label = alt.Y("label:N", sort=None, title=None, axis=alt.Axis(grid=True))
    chart = alt.Chart(_DATA, height=alt.Step(step))
    x = alt.X("value:Q")
    return chart.encode(x.title(x_title) if linear else _log(x, x_title, axis_at), label)


def _log(channel: Any, title: str, orient: Any = alt.Undefined) -> Any:
    axis = alt.Axis(format=",.3~r", labelOverlap=True, tickCount=6, orient=orient)
    return channel.scale(type="log", nice=False, padding=16).title(title).axis(axis)


def _bars(base: alt.Chart, axis: Literal["x", "y"]) -> alt.Chart:
    """Draw an interval for each mark that has one."""
    ends = (alt.X("low:Q"), alt.X2("high:Q")) if axis == "x" else (alt.Y("low:Q"), alt.Y2("high:Q"))
    bars = base.mark_rule(size=1.5, color=_GREY).encode(*ends)
    return bars.transform_filter("isValid(datum.low)")


def _linked(chart: alt.Chart, groups: Sequence[str], data: Sequence[Datum]) -> alt.Chart:
    """Colour the marks by their group, and give them their hint and their link."""
    domain = present(groups, data)
    scale = alt.Scale(domain=domain, range=[_colour(group, groups) for group in domain])
    colour = alt.Color("group:N", scale=scale).legend(title=None, orient="top")
    shape = alt.condition("datum.disturbed", alt.value("triangle-up"), alt.value("circle"))
    chart = chart.encode(colour, shape=shape, tooltip="hint:N", href="href:N")
    chart.mark.cursor = "pointer"
    chart.mark.filled = True
    chart.mark.opacity = 0.9
    return chart


def _colour(group: str, groups: Sequence[str]) -> str:
    return _PALETTE[list(groups).index(group) % len(_PALETTE)]


def _specification(chart: alt.Chart | alt.LayerChart, data: Sequence[Datum]) -> Chart:
    chart = chart.properties(width="container", background="transparent").configure(
        # Named, so that the library can measure its text.
        font='system-ui, "DejaVu Sans", sans-serif',
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            labelLimit=420,
            domain=False,
            ticks=False,
            labelPadding=6,
            labelFontSize=_FONT_SIZE,
            titleFontSize=_FONT_SIZE,
        ),
        legend=alt.LegendConfig(labelFontSize=_FONT_SIZE, titleFontSize=_FONT_SIZE),
        text=alt.MarkConfig(fontSize=_FONT_SIZE),
    )
    return {**chart.to_dict(), "datasets": {"marks": list(data)}}
