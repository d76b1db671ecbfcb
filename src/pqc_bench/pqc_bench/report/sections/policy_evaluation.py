# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Does adapting pay? The comparison of strategies that `bench policy` left beside the run."""

from __future__ import annotations

from typing import Any

from pqc_sim.processes.summary_file import read_summary

from pqc_bench.report.context import Context
from pqc_bench.report.section import Section, Tabulated
from pqc_bench.report.table import Column, Table, Value

FILE = "policy.json"
_INTRO = (
    "Strategies of the policy over the same simulated flights: with the costs of this tunnel, and "
    "with those of the seeds' program, which stops the data for a rekey."
)
_NONE = f"The run's folder has no {FILE}: bench policy --out RUN/{FILE} writes it."
_MEASURES = (
    ("lost_to_rekeys", "datagrams lost"),
    ("longest_gap_s", "longest gap (s)"),
    ("energy_j", "energy (J)"),
    ("seconds_below_level_3", "below level 3 (s)"),
    ("rekeys_failed", "rekeys failed"),
    ("emergencies_met", "emergencies met"),
    ("reward_per_s", "reward (1/s)"),
)


def policy_evaluation(context: Context) -> Section:
    """Return a table of strategies, and one of their paired differences, for each cost set."""
    file = context.run.folder / FILE
    result = read_summary(file) or {}
    href = context.file_link(file) if result else ""
    totals, pairs = _totals(), _pairs()
    for name, costs in result.get("costs", {}).items():
        for strategy, own in costs["strategies"].items():
            totals.add(Value(name, href), Value(strategy), *_row(own))
        for pair, measures in costs["pairs"].items():
            # Files of earlier versions have no reward.
            cells = [_cell(measures.get(measure)) for measure, _ in _MEASURES]
            pairs.add(Value(name, href), Value(pair), *cells)
    flights = f" {result['flights']} flights, the first of seed {result['seed']}." if result else ""
    return Section(
        "policy",
        "Does adapting pay?",
        f"{_INTRO}{flights}",
        [
            Tabulated("Strategies, all flights", totals, empty=_NONE),
            Tabulated("Differences of the same flights", pairs, empty=_NONE),
        ],
    )


def _totals() -> Table:
    return Table(
        "policy_strategies",
        [
            Column("costs", "costs"),
            Column("strategy", "strategy"),
            Column("datagrams lost", "lost_to_rekeys", "in rekeys, that the air let pass"),
            Column("longest gap (s)", "longest_gap_s", "around a rekey"),
            Column("energy (J)", "energy_j_per_flight", "of the drone, a flight: rekeys, cipher"),
            Column("below level 3 (%)", "below_level_3_percent", "of the time"),
            Column("wanted", "rekeys_wanted"),
            Column("done", "rekeys_done"),
            Column("failed", "rekeys_failed"),
            Column("emergencies", "emergencies_seen"),
            Column("met", "emergencies_met", "at the lightest suite within 5 s"),
            Column("lock-out (s)", "lockout_s", "longest time of a working link without new keys"),
        ],
    )


def _row(own: dict[str, Any]) -> list[Value]:
    levels, rekeys, emergencies = own["seconds_at_level"], own["rekeys"], own["emergencies"]
    return [
        Value(own["lost_to_rekeys"]),
        Value(own["longest_gap_s"]),
        Value(own["energy_j"] / own["flights"]),
        Value(100.0 * levels["1"] / sum(levels.values())),
        *(Value(rekeys[name]) for name in ("wanted", "done", "failed")),
        *(Value(emergencies[name]) for name in ("seen", "met")),
        Value(own["lockout_s"]),
    ]


def _pairs() -> Table:
    return Table(
        "policy_pairs",
        [
            Column("costs", "costs"),
            Column("difference", "pair"),
            *(Column(heading, name, "a flight, with 95 %") for name, heading in _MEASURES),
        ],
        note="The first strategy less the second, mean of the flights; intervals of 95 % by the "
        "bootstrap over flights.",
    )


def _cell(measure: dict[str, float] | None) -> Value:
    if measure is None:
        return Value(None)
    mean, low, high = (f"{measure[name]:.3g}" for name in ("mean", "low", "high"))
    return Value("0" if (low, high) == ("0", "0") else f"{mean} ({low} to {high})")
