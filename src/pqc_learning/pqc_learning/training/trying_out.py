# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Compares an agent with the rules on flights that it was not trained with."""

from __future__ import annotations

from functools import partial
from math import sqrt
from statistics import mean, stdev
from typing import Any

from pqc_policy.policy.suites import DEFAULT_SUITE, LEVELS

from pqc_learning.agent.strategies import LEARNED
from pqc_learning.agent.table import parse_agent
from pqc_learning.closed_loop.contestants import Contestant
from pqc_learning.closed_loop.cost_set import cost_sets
from pqc_learning.closed_loop.distribution import draw
from pqc_learning.closed_loop.flight_plan import PreparedFlight
from pqc_learning.closed_loop.fly import Flight
from pqc_learning.pool import mapped

RULES = "telemetry_aware"
COMPARED = (RULES, *LEARNED)
Worths = dict[tuple[str, str], float]  # mean R of a second, by cost set and strategy


def tried_out(table: str, seed: int) -> Worths:
    """Fly one flight with each strategy and each cost set; the table is the text of its file."""
    agent = parse_agent(table)
    prepared, suites = PreparedFlight(draw(seed)), {level: DEFAULT_SUITE for level in LEVELS}
    worths = {}
    for costs in cost_sets().values():
        for name in COMPARED:
            made = LEARNED[name](agent) if name in LEARNED else None
            outcome = Flight(prepared, Contestant(name, name, suites, made=made), costs).fly()
            worths[costs.name, name] = outcome.worth / outcome.seconds
    return worths


def metrics(table: str, seeds: range, jobs: int) -> dict[str, Any]:
    """Return by cost set: the mean R of each strategy, and rl and hybrid less the rules.

    A difference has the half-width of its interval of 95 % over the flights, beside it.
    """
    flown = list(mapped(partial(tried_out, table), seeds, jobs))
    found: dict[str, Any] = {"flights": len(flown), "first_seed": seeds.start}
    for costs in cost_sets():
        means = {name: round(mean(one[costs, name] for one in flown), 4) for name in COMPARED}
        less = {}
        for name in LEARNED:
            differences = [one[costs, name] - one[costs, RULES] for one in flown]
            half = 1.96 * stdev(differences) / sqrt(len(differences))
            less[f"{name} - {RULES}"] = [round(mean(differences), 5), round(half, 5)]
        found[costs] = {"reward_per_s": means, "less_rules": less}
    return found
