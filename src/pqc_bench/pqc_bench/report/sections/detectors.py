# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Detectors of attacks: the comparison that `bench detectors` left beside the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pqc_sim.processes.summary_file import read_summary

from pqc_bench.report.charts import Chart, Datum, curves
from pqc_bench.report.context import Context
from pqc_bench.report.intervals import Interval
from pqc_bench.report.section import Figure, Section, Tabulated
from pqc_bench.report.table import Column, Table, Value

FILE = "detectors.json"
_INTRO = (
    "The advisor's detectors on generated flights that no training has seen: an attack is detected "
    "in time if the alarm comes within 6 s."
)
_NOTE = (
    "Intervals of 95 %: Wilson's of shares, by the sign test of delays, Poisson's of false alarms, "
    "by the bootstrap over flights of what is named right."
)
_SENTENCE = (
    "Volumetric, jamming and protocol attacks detected in time, against the false alarms in an "
    "hour of normal flight, as the threshold of the score changes."
)


def detectors(context: Context) -> Section:
    """Return rates and delays by class and by link, costs, and the curves of the thresholds.

    Without the file the section has no parts.
    """
    file = context.run.folder / FILE
    result = read_summary(file)
    if not result:
        return Section("detectors", "Detectors of attacks")
    href = context.file_link(file)
    found: dict[str, Any] = result.get("detectors", {})
    classes, links, costs, live = _classes(), _links(), _costs(), _live()
    for name, own in found.items():
        strict = own["at_one_false_alarm_per_hour"]["classes"]
        for label, rate in own["classes"].items():
            again = _share(strict[label], "rate", "interval")
            classes.add(Value(name, href), Value(label), *_rate(rate), again)
        for link, rate in own["links"].items():
            links.add(Value(name, href), Value(link), *_rate(rate), _alarms(rate))
        costs.add(Value(name, href), *_cost(own, result["flights"]))
    for name, own in result.get("live", {}).get("detectors", {}).items():
        for label, rate in own["classes"].items():
            if rate["attacks"]:
                live.add(Value(name, href), Value(label), *_rate(rate))
    flights = f" {result['flights']} flights, the first of seed {result['seed']}."
    return Section(
        "detectors",
        "Detectors of attacks",
        f"{_INTRO}{flights}",
        [
            Figure("Detected against false alarms", _SENTENCE, _curves(found, href)),
            Tabulated("By class of attack", classes),
            Tabulated("By link", links),
            Tabulated("False alarms and costs", costs),
            Tabulated("Recordings of the real tunnel", live),
        ],
    )


_RATE = (
    Column("attacks", "attacks"),
    Column("in time (%)", "in_time_percent", "within 6 s", interval=True),
    Column("ever (%)", "ever_percent", interval=True),
    Column("delay (s)", "delay_s", "median of the detected ones", interval=True),
)


def _classes() -> Table:
    name, label = Column("detector", "detector"), Column("class", "class")
    most = Column(
        "at 1/h (%)", "in_time_at_one_per_hour_percent", "one false alarm an hour", interval=True
    )
    return Table("detectors_classes", [name, label, *_RATE, most], note=_NOTE)


def _links() -> Table:
    name, link = Column("detector", "detector"), Column("link", "link")
    alarms = Column(
        "false alarms (1/h)", "false_alarms_per_hour", "of normal flight", interval=True
    )
    note = f"Volumetric, jamming and protocol attacks together. {_NOTE}"
    return Table("detectors_links", [name, link, *_RATE, alarms], note=note)


def _live() -> Table:
    name, label = Column("detector", "detector"), Column("class", "class")
    return Table("detectors_recordings", [name, label, *_RATE], note=_NOTE)


def _costs() -> Table:
    return Table(
        "detectors_costs",
        [
            Column("detector", "detector"),
            Column(
                "false alarms (1/h)", "false_alarms_per_hour", "of normal flight", interval=True
            ),
            Column("named right (%)", "named_right_percent", "of bins in an attack", interval=True),
            Column("CPU (%)", "cpu_percent", "of one core"),
            Column("a verdict (µs)", "verdict_us"),
            Column("memory (MiB)", "memory_mib", "growth of the process"),
        ],
        note=_NOTE,
    )


# Files of earlier versions have an interval of `rate` alone.
def _rate(rate: dict[str, Any]) -> Iterator[Value]:
    yield Value(rate["attacks"])
    yield _share(rate, "rate", "interval")
    yield _share(rate, "rate_ever", "interval_ever")
    within = _interval(rate.get("delay_interval_s"), rate.get("detected"))
    yield Value(rate["delay_s"], interval=within)


def _share(rate: dict[str, Any], name: str, interval: str) -> Value:
    return _percent(rate[name], _interval(rate.get(interval), rate["attacks"]))


def _alarms(own: dict[str, Any]) -> Value:
    within = _interval(own.get("false_alarms_interval"), own.get("false_alarms"))
    return Value(own["false_alarms_per_hour"], interval=within)


def _interval(ends: Sequence[float] | None, n: int | None) -> Interval | None:
    return None if ends is None or n is None else Interval(*ends, n)


def _percent(share: float | None, within: Interval | None) -> Value:
    if share is None:
        return Value(None)
    percent = None if within is None else within.map(lambda one: 100.0 * one)
    return Value(100.0 * share, interval=percent)


def _cost(own: dict[str, Any], flights: int) -> Iterator[Value]:
    yield _alarms(own)
    yield _percent(own["named_right"], _interval(own.get("named_right_interval"), flights))
    yield Value(own["cpu_percent"])
    yield Value(own["cpu_us_per_verdict"])
    yield Value(own["memory_kib"] / 1024.0)


def _curves(found: dict[str, Any], href: str) -> Chart | str:
    data: list[Datum] = []
    for name, own in found.items():
        # Logarithmic axes have no zero: less than one false alarm was seen.
        least = 0.5 / max(own["normal_hours"], 1e-9)
        data += [
            {
                "name": name,
                "group": name,
                "x": max(point["false_alarms_per_hour"], least),
                "y": 100.0 * point["rate"],
                "href": href,
            }
            for point in own["roc"]
            if point["rate"] > 0.0
        ]
    if not data:
        return "no detector was judged"
    data.sort(key=lambda datum: datum["x"])
    return curves(data, "false alarms (1/h)", "detected in time (%)", list(found))
