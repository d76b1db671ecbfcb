# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Does adapting pay? The comparison of strategies that `bench policy` left beside the run."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from pqc_learning.comparison.differences import BASELINE, MEASURES, Difference, differences
from pqc_learning.comparison.verdict import conclusions, judged, no_verdict
from pqc_learning.intervals import FEWEST_FOR_95, interval_name
from pqc_sim.processes.summary_file import read_summary

from pqc_bench.report.context import Context
from pqc_bench.report.intervals import Interval
from pqc_bench.report.section import Raw, Section, Tabulated
from pqc_bench.report.table import Column, Table, Value

FILE = "policy.json"
_INTRO = (
    "Strategies of the policy over the same simulated flights: with the costs of this tunnel, and "
    "with those of the seeds' program, which stops the data for a rekey."
)


def policy_evaluation(context: Context) -> Section:
    """Return the verdict, the strategies, their paired differences, and those by circumstance.

    Without the file the section has no parts.
    """
    file = context.run.folder / FILE
    result = read_summary(file)
    if not result:
        return Section("policy", "Does adapting pay?")
    href = context.file_link(file)
    flights = f" {result['flights']} flights, the first of seed {result['seed']}."
    sentences = "".join(f"<li>{escape(line)}</li>" for line in conclusions(result))
    parts: list[Raw | Tabulated] = [Raw(f"<ul>{sentences}</ul>")]
    tables = {
        "Where adapting wins, does nothing, and hurts": _verdict(result, href),
        "Strategies, all flights": _totals(result, href),
        "Differences of the same flights": _pairs(result, href),
        "Datagrams lost by circumstance": _circumstances(result, href),
    }
    none = no_verdict(result)
    parts += [Tabulated(title, table, empty=none) for title, table in tables.items()]
    return Section("policy", "Does adapting pay?", f"{_INTRO}{flights}", [*parts])


def _verdict(result: dict[str, Any], href: str) -> Table:
    table = Table(
        "policy_verdict",
        [
            Column("costs", "costs"),
            Column("measure", "measure"),
            Column("wins", "wins"),
            Column("does nothing", "does_nothing"),
            Column("hurts", "hurts"),
        ],
        note=f"Adaptive strategies less {BASELINE}, means of a flight. A strategy wins or hurts if "
        "the whole interval of 95 %, each by itself, is on that side of zero.",
    )
    for one in judged(result):
        cells = (one.measure, one.wins, one.nothing, one.hurts)
        table.add(Value(one.costs, href), *map(Value, cells))
    return table


def _totals(result: dict[str, Any], href: str) -> Table:
    table = Table(
        "policy_strategies",
        [
            Column("costs", "costs"),
            Column("strategy", "strategy"),
            Column("datagrams lost", "lost_to_rekeys", "in rekeys", interval=True),
            Column("longest gap (s)", "longest_gap_s", "around a rekey"),
            Column("energy (J)", "energy_j_per_flight", "of rekeys and cipher", interval=True),
            Column("below level 3 (%)", "below_level_3_percent", "of the time"),
            Column("wanted", "rekeys_wanted"),
            Column("done", "rekeys_done"),
            Column("failed", "rekeys_failed", interval=True),
            Column("emergencies", "emergencies_seen"),
            Column("met", "emergencies_met", "at the lightest suite within 5 s"),
            Column("met (%)", "emergencies_met_percent", "of the emergencies", interval=True),
            Column("lock-out (s)", "lockout_s", "longest time of a working link without new keys"),
        ],
        note="Intervals of 95 %: by the bootstrap over flights, Wilson's for the emergencies met.",
    )
    for name, costs in result["costs"].items():
        for strategy, own in costs["strategies"].items():
            table.add(Value(name, href), Value(strategy), *_row(own))
    return table


def _row(own: dict[str, Any]) -> Iterator[Value]:
    levels, rekeys, emergencies = own["seconds_at_level"], own["rekeys"], own["emergencies"]
    flights, seen, met = own["flights"], emergencies["seen"], emergencies["met"]
    means = {name: _bounds(Difference(**one), flights) for name, one in own["per_flight"].items()}
    total = {name: one.map(lambda mean: flights * mean) for name, one in means.items()}
    yield Value(own["lost_to_rekeys"], interval=total["lost_to_rekeys"])
    yield Value(own["longest_gap_s"])
    yield Value(own["energy_j"] / flights, interval=means["energy_j"])
    yield Value(100.0 * levels["1"] / sum(levels.values()))
    yield Value(rekeys["wanted"])
    yield Value(rekeys["done"])
    yield Value(rekeys["failed"], interval=total["rekeys_failed"])
    yield Value(seen)
    yield Value(met)
    share = emergencies["share_interval"]
    if share is None:
        yield Value(None, why="no emergency was seen")
    else:
        low, high = (100.0 * end for end in share)
        yield Value(100.0 * met / seen, interval=Interval(low, high, seen))
    yield Value(own["lockout_s"])


def _pairs(result: dict[str, Any], href: str) -> Table:
    flights = result["flights"]
    table = Table(
        "policy_pairs",
        [
            Column("costs", "costs"),
            Column("difference", "pair"),
            *(
                Column(one.heading, name, "a flight", interval=True)
                for name, one in MEASURES.items()
            ),
        ],
        note="The first strategy less the second, mean of the flights; "
        f"{interval_name(flights)} by the bootstrap over flights.",
    )
    for name, costs in result["costs"].items():
        for pair, measures in costs["pairs"].items():
            own = {measure: Difference(**one) for measure, one in measures.items()}
            # Files of earlier versions have no reward.
            cells = [
                Value(None) if one is None else Value(one.mean, interval=_bounds(one, flights))
                for one in map(own.get, MEASURES)
            ]
            table.add(Value(name, href), Value(pair), *cells)
    return table


def _circumstances(result: dict[str, Any], href: str) -> Table:
    found = {
        (costs, circumstance, own["flights"]): differences(own.get("pairs", {}), BASELINE)
        for costs, one in result["costs"].items()
        for circumstance, own in one["classes"].items()
    }
    strategies = dict.fromkeys(name for own in found.values() for name in own)
    table = Table(
        "policy_circumstances",
        [
            Column("costs", "costs"),
            Column("flights with", "circumstance", "link or trouble"),
            Column("flights", "flights"),
            *(Column(name, name, "datagrams a flight", interval=True) for name in strategies),
        ],
        note=f"Datagrams lost to rekeys less those of {BASELINE}, mean of the flights, with "
        f"intervals of 95 % from {FEWEST_FOR_95} flights on. A flight may be in several rows.",
    )
    for (costs, circumstance, flights), own in found.items():
        cells = [_cell(own.get(name, {}).get("lost_to_rekeys"), flights) for name in strategies]
        label = circumstance.replace("_", " ")
        table.add(Value(costs, href), Value(label), Value(flights), *cells)
    return table


def _cell(one: Difference | None, flights: int) -> Value:
    if one is None:
        return Value(None)
    few = flights < FEWEST_FOR_95
    return Value(one.mean, interval=None if few else _bounds(one, flights))


def _bounds(one: Difference, flights: int) -> Interval:
    return Interval(one.low, one.high, flights)
