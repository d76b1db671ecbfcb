# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The comparison of detectors as tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pqc_learning.data.episodes import ATTACKS


def tables(compared: dict[str, Any]) -> list[str]:
    detectors = compared["detectors"]
    lines = [
        f"{compared['flights']} flights, {compared['hours']:.0f} h, seed {compared['seed']}, "
        f"generator {compared['generator']}; detected means: within {compared['soon_s']:g} s. "
        "In brackets: intervals of 95 %.",
        "",
        f"| detector | {' | '.join(ATTACKS)} | false alarms/h | class named | CPU | memory |",
        f"|---|{'---|' * len(ATTACKS)}---|---|---|---|",
    ]
    for name, one in detectors.items():
        cells = [_cell(one["classes"][label]) for label in ATTACKS]
        named = one["named_right"]
        lines.append(
            f"| {name} | {' | '.join(cells)} | {_alarms(one)} | "
            f"{_percent(named, one['named_right_interval'])} | {one['cpu_percent']:.2f} % | "
            f"{one['memory_kib'] / 1024:.0f} MiB |"
        )
    lines += ["", "With the threshold at which one alarm in a flight hour is false:", ""]
    lines += [f"| detector | {' | '.join(ATTACKS)} |", f"|---|{'---|' * len(ATTACKS)}"]
    for name, one in detectors.items():
        classes = one["at_one_false_alarm_per_hour"]["classes"]
        lines.append(f"| {name} | {' | '.join(_cell(classes[label]) for label in ATTACKS)} |")
    links = list(next(iter(detectors.values()))["links"]) if detectors else []
    lines += ["", "Volumetric, jamming and protocol attacks, and false alarms, by link:", ""]
    lines += [f"| detector | {' | '.join(links)} |", f"|---|{'---|' * len(links)}"]
    for name, one in detectors.items():
        cells = [
            f"{_percent(one['links'][link]['rate'])}, "
            f"{one['links'][link]['false_alarms_per_hour']:.1f}/h"
            for link in links
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def live_tables(live: dict[str, Any]) -> list[str]:
    """Return the lines about the recordings of the real tunnel."""
    names = ", ".join(live["recordings"])
    lines = [
        "",
        f"Recordings of the real tunnel ({names}; {live['minutes']:.0f} min); attacks detected "
        f"within {live['soon_s']:g} s:",
        "",
        f"| detector | {' | '.join(ATTACKS)} | false alarms |",
        f"|---|{'---|' * len(ATTACKS)}---|",
    ]
    for name, one in live["detectors"].items():
        cells = [_count(one["classes"][label]) for label in ATTACKS]
        lines.append(f"| {name} | {' | '.join(cells)} | {one['false_alarms']} |")
    return lines


def _count(rate: dict[str, Any]) -> str:
    if rate["rate"] is None:
        return "-"
    count = rate["attacks"]
    delay = "" if rate["delay_s"] is None else f", {rate['delay_s']:.1f} s"
    return f"{round(rate['rate'] * count)} of {count}{delay}"


def _cell(rate: dict[str, Any]) -> str:
    if rate["rate"] is None:
        return "-"
    delay = "" if rate["delay_s"] is None else f", {rate['delay_s']:.1f} s"
    return f"{_percent(rate['rate'], rate['interval'])}{delay}"


def _alarms(one: dict[str, Any]) -> str:
    low, high = one["false_alarms_interval"] or (None, None)
    within = "" if low is None else f" ({low:.2f} to {high:.2f})"
    return f"{one['false_alarms_per_hour']:.2f}{within}"


def _percent(share: float | None, interval: Sequence[float] | None = None) -> str:
    if share is None:
        return "-"
    ends = [] if interval is None else [f"{100.0 * end:.0f}" for end in interval]
    return f"{100.0 * share:.0f} %{f' ({ends[0]} to {ends[1]})' if ends else ''}"
