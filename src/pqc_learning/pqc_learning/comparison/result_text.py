# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The result as text: verdict and tables for a terminal, which are Markdown, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pqc_learning.comparison.differences import (
    BASELINE,
    MEASURES,
    Difference,
    differences,
    three_digits,
)
from pqc_learning.comparison.verdict import conclusions, judged
from pqc_learning.intervals import FEWEST_FOR_95, interval_name

BASELINES = (BASELINE, "telemetry_aware")
_ADVERSARIES = ("A1", "A2", "A3", "A4")
_PROTECTION = (
    *("strategy", *(f"{name} (%)" for name in _ADVERSARIES)),
    *("window, mean and largest (s)", "datagrams lost", "commands delayed"),
    *("air (kB a flight)", "energy (J a flight)"),
)
_HEAD = (
    *("strategy", "below level 3 (%)", "rekeys wanted, done, failed", "switches"),
    *("emergencies met", "lock-out (s)", "longest gap (s)", "reward (1/s)"),
)
_VERDICT = ("costs", "measure", "wins", "does nothing", "hurts")
_CIRCUMSTANCE = "exposed_a4"


def tables(result: dict[str, Any]) -> list[str]:
    lines = _verdict(result)
    for name, costs in result["costs"].items():
        lines += [f"**{name}**: {costs['about']}, {result['flights']} flights.", ""]
        entries = costs["strategies"].items()
        lines += [*_table(_PROTECTION, [_protection(*entry) for entry in entries]), ""]
        lines += [*_by_link(costs["links"]), ""]
        lines += _table(_HEAD, [_row(*entry) for entry in entries])
        for baseline in BASELINES:
            if len(costs["strategies"]) > 1 and baseline in costs["strategies"]:
                about = f"The same flights, less {baseline}, a flight"
                lines += ["", f"{about} ({interval_name(result['flights'])}):", ""]
                lines += _differences(costs["pairs"], baseline)
        lines += [*_circumstances(costs), ""]
    return lines


def _verdict(result: dict[str, Any]) -> list[str]:
    lines = ["**Verdict**", "", *(f"- {sentence}" for sentence in conclusions(result)), ""]
    rows = [(one.costs, one.measure, one.wins, one.nothing, one.hurts) for one in judged(result)]
    if rows:
        lines += [
            f"Adaptive strategies less {BASELINE}, means of a flight; wins or hurts: the whole "
            "interval of 95 %, each by itself, is on that side of zero (share read: beyond "
            f"{MEASURES[_CIRCUMSTANCE].margin:g}).",
            "",
            *_table(_VERDICT, rows, numbers=False),
            "",
        ]
    return lines


def _protection(name: str, own: dict[str, Any]) -> list[str]:
    window = own["window_s"]
    return [
        name,
        *(f"{100.0 * own['exposed'][one]:.1f}" for one in _ADVERSARIES),
        f"{window['mean']:.1f}, {window['largest']:.0f}",
        f"{own['lost_to_rekeys']:,}",
        f"{own['delayed']:,}",
        three_digits(own["air_bytes"] / own["flights"] / 1e3),
        three_digits(own["energy_j"] / own["flights"]),
    ]


def _by_link(links: dict[str, Any]) -> list[str]:
    """Return the table of what is read after a theft (A4)."""
    names = list(links)
    strategies = [name for name in links[names[0]] if name != "flights"]
    head = ("A4 (%), on", *(f"{x.replace('_', ' ')} ({links[x]['flights']})" for x in names))
    return _table(
        head,
        [[one, *(f"{100.0 * links[x][one]['A4']:.1f}" for x in names)] for one in strategies],
    )


def _row(name: str, own: dict[str, Any]) -> list[str]:
    levels, rekeys, emergencies = own["seconds_at_level"], own["rekeys"], own["emergencies"]
    flown_s = sum(levels.values())
    return [
        name,
        f"{100.0 * levels['1'] / flown_s:.1f}",
        f"{rekeys['wanted']:,}, {rekeys['done']:,}, {rekeys['failed']:,}",
        f"{rekeys['switches']:,}",
        _met(emergencies),
        f"{own['lockout_s']:.0f}",
        three_digits(own["longest_gap_s"]),
        f"{own['reward_per_s']:.4f}",
    ]


def _met(emergencies: dict[str, Any]) -> str:
    counts = f"{emergencies['met']} of {emergencies['seen']}"
    if emergencies["share_interval"] is None:
        return counts
    low, high = (100.0 * end for end in emergencies["share_interval"])
    return f"{counts} ({low:.3g} to {high:.3g} %)"


def _differences(pairs: dict[str, Any], baseline: str) -> list[str]:
    rows = [
        [name, *(_interval(own[measure]) for measure in MEASURES)]
        for name, own in differences(pairs, baseline).items()
    ]
    return _table(("strategy", *(measure.heading for measure in MEASURES.values())), rows)


def _circumstances(costs: dict[str, Any]) -> list[str]:
    names = list(differences(costs["pairs"], BASELINE))
    if not names:
        return []
    rows = []
    for label, own in costs["classes"].items():
        found = differences(own["pairs"], BASELINE)
        few = own["flights"] < FEWEST_FOR_95
        cells = [_interval(found[name][_CIRCUMSTANCE]) if not few else "–" for name in names]
        rows.append([label.replace("_", " "), f"{own['flights']:,}", *cells])
    about = f"By circumstance: {MEASURES[_CIRCUMSTANCE].heading} less {BASELINE}, a flight"
    if any(own["flights"] < FEWEST_FOR_95 for own in costs["classes"].values()):
        about += f"; –: fewer than {FEWEST_FOR_95} flights"
    return ["", f"{about} (95 % interval):", "", *_table(("flights with", "flights", *names), rows)]


def _interval(one: Difference) -> str:
    if one.low == one.high == 0.0:
        return "0"
    return f"{three_digits(one.mean)} ({three_digits(one.low)} to {three_digits(one.high)})"


def _table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: bool = True
) -> list[str]:
    rule = ["---", *("--:" if numbers else "---" for _ in head[1:])]
    return [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]
