# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The power during a handshake, of a cell of each KEM family."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from pqc_bench.power.marks import HANDSHAKE, read_marks
from pqc_bench.power.marks import NAME as MARKS
from pqc_bench.power.trace import read_trace
from pqc_bench.report import names
from pqc_bench.report.charts import Datum, lines
from pqc_bench.report.context import Context, families_of
from pqc_bench.report.number_text import short
from pqc_bench.report.run_data import Sample
from pqc_bench.report.section import Figure, Section

_TRACE = "p_power_energy.trace"
# A line of the chart has about as many points as the page has pixels.
_POINTS = 600
# The chart shows so much of the time before the handshake and after it.
_AROUND_S = 0.5
Course = list[tuple[float, float]]


def power_traces(context: Context) -> Section:
    """Return a chart with the trace of the fastest suite of each family that has one."""
    title = "Power during the first handshake, the fastest suite of each family"
    data: list[Datum] = []
    for family in families_of(context.main):
        cells = [cell for cell in context.main if cell.family == family]
        samples = [one for cell in cells for one in cell.samples]
        # A run may have been copied without its traces.
        traced = [
            one
            for one in samples
            if (file := _file(one)) and file.is_file() and file.with_name(MARKS).is_file()
        ]
        if traced:
            data += _marks(context, names.FAMILIES[family], traced[0])
    if not data:
        return Section("power_traces", title)
    most = max(data, key=lambda one: one["y"])
    sentence = f"The highest mean of a point is {short(most['y'])} W, {most['group']}."
    chart = lines(data, "time since the handshake began (s)", "power (W)", names.FAMILY_NAMES)
    note = f"Each line has at most {_POINTS} points, means of the samples between them."
    return Section("power_traces", title, "", [Figure(title, sentence, chart, note)])


def course(trace: Path, marks: Path) -> Course:
    """Return seconds and watts around the first handshake; of the whole trace if none is marked."""
    recorded = read_trace(trace)
    spans = [mark.span(recorded.monotonic_s) for mark in read_marks(marks).of(HANDSHAKE)]
    begin_s = spans[0].begin_s if spans else 0.0
    end_s = spans[0].end_s + _AROUND_S if spans else float("inf")
    return [
        (float(at_s - begin_s), float(watts))
        for at_s, watts in zip(recorded.seconds, recorded.power_w, strict=True)
        if begin_s - _AROUND_S <= at_s <= end_s
    ]


def _file(sample: Sample) -> Path | None:
    name = sample.get(_TRACE)
    return sample.file.parent / name if name else None


def _marks(context: Context, family: str, sample: Sample) -> list[Datum]:
    file = _file(sample)
    assert file is not None
    link = context.file_link(file)
    return [
        {
            "x": at_s,
            "y": watts,
            "group": family,
            "hint": f"{family}, {short(at_s)} s: {short(watts)} W",
            "href": link,
        }
        for at_s, watts in _thinned(course(file, file.with_name(MARKS)))
    ]


def _thinned(trace: Course) -> Course:
    step = -(-len(trace) // _POINTS) or 1
    parts = [trace[at : at + step] for at in range(0, len(trace), step)]
    return [(part[0][0], fmean(watts for _, watts in part)) for part in parts]
