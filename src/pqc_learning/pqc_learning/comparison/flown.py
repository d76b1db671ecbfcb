# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Flies seeded flights with every strategy, in several processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from pqc_policy.parameters import ParameterFault
from pqc_sim.processes.run_fault import RunFault

from pqc_learning.closed_loop.contestants import contestants
from pqc_learning.closed_loop.cost_set import cost_sets
from pqc_learning.closed_loop.distribution import draw
from pqc_learning.closed_loop.flight_plan import PreparedFlight
from pqc_learning.closed_loop.fly import Flight
from pqc_learning.closed_loop.outcome import Outcome
from pqc_learning.pool import mapped


@dataclass(frozen=True)
class FlownFlight:
    seed: int
    link: str
    classes: tuple[str, ...]  # link and troubles of the flight
    outcomes: dict[tuple[str, str], Outcome]  # by cost set and strategy


def fly_seed(strategies: tuple[str, ...], seed: int) -> FlownFlight:
    plan = draw(seed)
    prepared, known = PreparedFlight(plan), contestants()
    outcomes: dict[tuple[str, str], Outcome] = {}
    for costs in cost_sets().values():
        alike: dict[str, Outcome] = {}
        for name in strategies:
            one = known[name]
            if one.keeps_data and costs.stops_data:
                continue
            # At floor 3 the light suite is the default one.
            parameters = sorted(one.parameters.items())
            key = repr((one.strategy, one.suite(costs), parameters, one.anchor, one.made is None))
            if key not in alike:
                alike[key] = Flight(prepared, one, costs).fly()
            outcomes[costs.name, name] = alike[key]
    trouble = plan.trouble or ("no_trouble",)
    return FlownFlight(seed, plan.link, (plan.link, *trouble), outcomes)


def fly_all(
    strategies: tuple[str, ...],
    flights: int,
    first_seed: int,
    processes: int,
    progress: Callable[[int, FlownFlight], None],
) -> list[FlownFlight]:
    """Fly them all and return them in the order of their seeds; RunFault for a bad strategy.

    `progress` is called with the count and the flight whenever one is done.
    """
    _try_out(strategies)
    seeds = range(first_seed, first_seed + flights)
    flown = []
    for one in mapped(partial(fly_seed, strategies), seeds, processes):
        flown.append(one)
        progress(len(flown), one)
    return flown


def _try_out(strategies: tuple[str, ...]) -> None:
    for name in strategies:
        try:
            for costs in cost_sets().values():
                contestants()[name].policy(costs)
        except ParameterFault as fault:
            raise RunFault(str(fault).rstrip(".")) from fault
