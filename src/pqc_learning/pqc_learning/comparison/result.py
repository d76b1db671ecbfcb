# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The result of an evaluation as JSON: strategies, pairs and classes of flights by cost set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from pqc_learning.closed_loop.cost_set import CostSet, cost_sets
from pqc_learning.closed_loop.outcome import LEVELS, Outcome
from pqc_learning.comparison.differences import BASELINE
from pqc_learning.comparison.flown import FlownFlight
from pqc_learning.intervals import bootstrap, wilson

FORMAT = 2
MAIN = "tunnel"
# The figures of each flight that are compared in pairs.
MEASURES: dict[str, Callable[[Outcome], float]] = {
    "exposed_a4": lambda one: _share([one.exposed["A4"]]),
    "window_s": lambda one: one.window_mean_s,
    "delayed": lambda one: one.delayed,
    "air_kb": lambda one: one.air_bytes / 1e3,
    "lost_to_rekeys": lambda one: one.lost_to_rekeys,
    "longest_gap_s": lambda one: one.longest_gap_s,
    "energy_j": lambda one: one.energy_j,
    "seconds_below_level_3": lambda one: one.seconds_at_level["1"],
    "rekeys_failed": lambda one: one.failed,
    "emergencies_met": lambda one: one.emergencies_met,
    "hot_s": lambda one: one.hot_s,
    "lockout_s": lambda one: one.lockout_s,
    "reward_per_s": lambda one: one.worth / one.seconds,
}


def result(flown: Sequence[FlownFlight], strategies: Sequence[str], seed: int) -> dict[str, Any]:
    """Return everything; at the top are strategies and pairs of this tunnel as it is shipped."""
    costs = {
        costs.name: _of_costs(flown, strategies, costs, seed) for costs in cost_sets().values()
    }
    return {
        "format": FORMAT,
        "flights": len(flown),
        "seed": seed,
        "flown_s": sum(_first(one).seconds for one in flown),
        "strategies": costs[MAIN]["strategies"],
        "pairs": costs[MAIN]["pairs"],
        "costs": costs,
    }


def _first(flight: FlownFlight) -> Outcome:
    return next(iter(flight.outcomes.values()))


def _of_costs(
    flown: Sequence[FlownFlight], strategies: Sequence[str], costs: CostSet, seed: int
) -> dict[str, Any]:
    outcomes = {
        name: [one.outcomes[costs.name, name] for one in flown]
        for name in strategies
        if (costs.name, name) in flown[0].outcomes
    }
    tables = {name: _table(own) for name, own in outcomes.items()}
    return {
        "about": costs.about,
        "profile": costs.profile.name,
        "min_level": costs.min_level,
        "rekeys_stop_the_data": costs.stops_data,
        "strategies": {name: _summary(own, seed) for name, own in outcomes.items()},
        "pairs": _pairs(tables, combinations(tables, 2), seed),
        "classes": _classes(flown, tables, seed),
        "links": _links(flown, outcomes),
    }


def _table(outcomes: Sequence[Outcome]) -> np.ndarray:
    """Return the measures (columns) of flights (rows)."""
    return np.array([[measure(one) for measure in MEASURES.values()] for one in outcomes], float)


def _summary(outcomes: Sequence[Outcome], seed: int) -> dict[str, Any]:
    seen = sum(one.emergencies_seen for one in outcomes)
    met = sum(one.emergencies_met for one in outcomes)
    share = wilson(met, seen)
    table = _table(outcomes)
    rewards = [one.worth / one.seconds for one in outcomes]
    low, high = bootstrap(table, seed)
    return {
        "flights": len(outcomes),
        "exposed": _exposed(outcomes),
        "window_s": {
            "mean": rounded([sum(one.window_mean_s for one in outcomes) / len(outcomes)])[0],
            "largest": rounded([max(one.window_most_s for one in outcomes)])[0],
        },
        "delayed": sum(one.delayed for one in outcomes),
        "air_bytes": rounded([sum(one.air_bytes for one in outcomes)])[0],
        "lost_to_rekeys": sum(one.lost_to_rekeys for one in outcomes),
        "longest_gap_s": rounded([max(one.longest_gap_s for one in outcomes)])[0],
        "energy_j": rounded([sum(one.energy_j for one in outcomes)])[0],
        "seconds_at_level": {
            level: sum(one.seconds_at_level[level] for one in outcomes) for level in LEVELS
        },
        "rekeys": {
            "wanted": sum(one.wanted for one in outcomes),
            "done": sum(one.done for one in outcomes),
            "failed": sum(one.failed for one in outcomes),
            "switches": sum(one.switches for one in outcomes),
            "ratchets": sum(one.ratchets for one in outcomes),
        },
        "emergencies": {
            "seen": seen,
            "met": met,
            "share_interval": None if share is None else rounded(share),
        },
        "hot_s": sum(one.hot_s for one in outcomes),
        "lockout_s": rounded([max(one.lockout_s for one in outcomes)])[0],
        "reward_per_s": rounded([sum(rewards) / len(rewards)])[0],
        "per_flight": _intervals(table.mean(axis=0), low, high),
    }


def _share(parts: Iterable[tuple[float, float]]) -> float:
    """Return the share of the datagrams that are read; of none, none."""
    read, total = map(sum, zip(*parts, strict=True))
    return read / total if total else 0.0


def _exposed(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Return the share that each adversary reads of the datagrams of all flights."""
    names = outcomes[0].exposed
    shares = rounded(_share(one.exposed[name] for one in outcomes) for name in names)
    return dict(zip(names, shares, strict=True))


def _links(
    flown: Sequence[FlownFlight], outcomes: Mapping[str, Sequence[Outcome]]
) -> dict[str, Any]:
    links: dict[str, Any] = {}
    for link in sorted({one.link for one in flown}):
        places = [place for place, one in enumerate(flown) if one.link == link]
        links[link] = {"flights": len(places)} | {
            name: _exposed([own[place] for place in places]) for name, own in outcomes.items()
        }
    return links


def rounded(values: Iterable[float]) -> list[float]:
    """Return numbers with six significant digits, so that equal runs give equal files."""
    return [float(f"{value:.6g}") for value in values]


def _intervals(mean: np.ndarray, low: np.ndarray, high: np.ndarray) -> dict[str, Any]:
    return {
        name: dict(zip(("mean", "low", "high"), rounded(numbers), strict=True))
        for name, *numbers in zip(MEASURES, mean, low, high, strict=True)
    }


def _pairs(
    tables: Mapping[str, np.ndarray], chosen: Iterable[tuple[str, str]], seed: int
) -> dict[str, Any]:
    """Return the differences of the same flights, of each chosen pair the second less the first."""
    pairs: dict[str, Any] = {}
    for other, one in chosen:
        differences = tables[one] - tables[other]
        low, high = bootstrap(differences, seed)
        pairs[f"{one} - {other}"] = _intervals(differences.mean(axis=0), low, high)
    return pairs


def _classes(
    flown: Sequence[FlownFlight], tables: Mapping[str, np.ndarray], seed: int
) -> dict[str, Any]:
    """Return means by link and trouble, and differences to BASELINE of two flights or more.

    A flight may be in several classes.
    """
    classes: dict[str, Any] = {}
    others = [name for name in tables if name != BASELINE and BASELINE in tables]
    for name in sorted({name for one in flown for name in one.classes}):
        flights = [place for place, one in enumerate(flown) if name in one.classes]
        own = {strategy: table[flights] for strategy, table in tables.items()}
        means = {
            strategy: dict(zip(MEASURES, rounded(table.mean(axis=0).tolist()), strict=True))
            for strategy, table in own.items()
        }
        chosen = [(BASELINE, other) for other in others if len(flights) > 1]
        pairs = _pairs(own, chosen, seed)
        classes[name] = {"flights": len(flights), **means, "pairs": pairs}
    return classes
