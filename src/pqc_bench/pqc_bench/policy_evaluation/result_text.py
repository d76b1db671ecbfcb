# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The result as text: tables for a terminal, which are Markdown, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

BASELINES = ("static_default", "telemetry_aware")
_HEAD = (
    "strategy",
    "datagrams lost",
    "longest gap (s)",
    "energy (J)",
    "below level 3 (%)",
    "rekeys wanted, done, failed",
    "switches",
    "emergencies met",
    "above 80 °C (s)",
    "lock-out (s)",
    "reward (1/s)",
)
_PAIR_MEASURES = (
    "lost_to_rekeys",
    "longest_gap_s",
    "energy_j",
    "seconds_below_level_3",
    "rekeys_failed",
    "emergencies_met",
    "reward_per_s",
)


def tables(result: dict[str, Any]) -> list[str]:
    """Return the lines of all tables."""
    lines = []
    for name, costs in result["costs"].items():
        lines += [f"**{name}**: {costs['about']}, {result['flights']} flights.", ""]
        lines += _table(_HEAD, [_row(*entry) for entry in costs["strategies"].items()])
        for baseline in BASELINES:
            if len(costs["strategies"]) > 1 and baseline in costs["strategies"]:
                lines += ["", f"The same flights, less {baseline}, a flight (95 % interval):", ""]
                lines += _differences(costs, baseline)
        lines.append("")
    return lines


def _row(name: str, own: dict[str, Any]) -> list[str]:
    levels, rekeys, emergencies = own["seconds_at_level"], own["rekeys"], own["emergencies"]
    flown_s = sum(levels.values())
    return [
        name,
        f"{own['lost_to_rekeys']:,}",
        _number(own["longest_gap_s"]),
        _number(own["energy_j"] / own["flights"]),
        f"{100.0 * levels['1'] / flown_s:.1f}",
        f"{rekeys['wanted']:,}, {rekeys['done']:,}, {rekeys['failed']:,}",
        f"{rekeys['switches']:,}",
        f"{emergencies['met']} of {emergencies['seen']}",
        f"{own['hot_s']:,.0f}",
        f"{own['lockout_s']:.0f}",
        f"{own['reward_per_s']:.4f}",
    ]


def _differences(costs: dict[str, Any], baseline: str) -> list[str]:
    rows = []
    for pair, measures in costs["pairs"].items():
        one, _, other = pair.partition(" - ")
        sign = 1.0 if other == baseline else -1.0 if one == baseline else 0.0
        if sign:
            cells = [_interval(measures[name], sign) for name in _PAIR_MEASURES]
            rows.append([one if sign > 0.0 else other, *cells])
    return _table(("strategy", *(name.replace("_", " ") for name in _PAIR_MEASURES)), rows)


def _interval(measure: dict[str, float], sign: float) -> str:
    ends = sorted(sign * measure[end] for end in ("low", "high"))
    if ends == [0.0, 0.0]:
        return "0"
    return f"{_number(sign * measure['mean'])} ({_number(ends[0])} to {_number(ends[1])})"


def _number(value: float) -> str:
    return "0" if value == 0.0 else f"{value:,.0f}" if abs(value) >= 1000.0 else f"{value:.3g}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    rule = ["---", *("--:" for _ in head[1:])]
    return [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
