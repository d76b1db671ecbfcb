# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Train the agent of the strategies rl and hybrid, and write its table with a card.

First it chooses at random in some flights, learns from that, then follows what it has learned in
other flights, but for one choice of ten, and learns from both. numpy is all that is needed. The
figures of the card are of flights that were not used for training; those with seeds from 1,000,000
on are left to ./dev bench policy.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np

from pqc_learning.agent.choice import Choice
from pqc_learning.agent.strategies import LEARNED
from pqc_learning.agent.table import SHIPPED, load_agent, table_text
from pqc_learning.closed_loop.cost_set import cost_sets
from pqc_learning.closed_loop.distribution import TRAINING, TRYING_OUT
from pqc_learning.environment.episode import CHOICES, Moment
from pqc_learning.pool import mapped
from pqc_learning.training.experience import SIZE, STARTS, fly_flight
from pqc_learning.training.fitted_q import Weights, fitted
from pqc_learning.training.trying_out import metrics

FLIGHTS, TRIED_OUT = 200, 40
REWARD_BOUND = 0.005
Rounded = dict[str, list[list[float]]]
NAME = "flight_agent"
_DECIMALS = 4


class Greedy:
    """Takes the best choice that is open, by weights."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights

    def __call__(self, moment: Moment, chance: np.random.Generator) -> Choice:
        """Return the choice; of equal ones the first."""
        found = self._weights[:, np.array(moment.view) + STARTS].sum(axis=1)
        return max(moment.able, key=lambda choice: float(found[CHOICES.index(choice)]))


def trained(flights: int, jobs: int) -> tuple[Weights, int]:
    """Return the weights after two rounds of flights, and from how many choices they are."""
    first, second = TRAINING[: flights // 2], TRAINING[flights // 2 : flights]
    known = reduce(add, mapped(partial(fly_flight, best=None), first, jobs))
    greedy = Greedy(fitted(known))
    known = known + reduce(add, mapped(partial(fly_flight, best=greedy), second, jobs))
    return fitted(known), len(known.choice)


def rounded(weights: Weights) -> Rounded:
    """Return the weights of each choice, by column."""
    stops = [*STARTS[1:], SIZE]
    return {
        choice: [
            [round(float(number), _DECIMALS) for number in own[start:stop]]
            for start, stop in zip(STARTS, stops, strict=True)
        ]
        for choice, own in zip(CHOICES, weights, strict=True)
    }


def train(
    jobs: int,
    commit: str,
    *,
    check: bool = False,
    file: Path = SHIPPED,
    flights: int = FLIGHTS,
    tried_out: int = TRIED_OUT,
) -> list[str]:
    """Train, try out, and write the table; with `check` compare it with the one that is there.

    Return a sentence for each figure that was not reproduced.
    """
    before = load_agent(file).card["metrics"] if check else None
    began_s = time.monotonic()
    last = TRAINING.start + flights - 1
    card: dict[str, Any] = {
        "name": NAME,
        "about": "Weights for each input of the policy; the sum is the value of a choice.",
        "data": f"simulated flights, seeds {TRAINING.start} to {last}, three cost sets each",
        "seed": TRAINING.start,
        "commit": commit,
        "metrics": {},
    }
    weights, card["choices"] = trained(flights, jobs)
    print(f"Learned from {card['choices']} choices in {time.monotonic() - began_s:.0f} s.")
    table = rounded(weights)
    card["metrics"] = metrics(table_text(card, table), TRYING_OUT[:tried_out], jobs)
    print(json.dumps(card["metrics"], indent=1))
    if before is not None:
        return differences(before, card["metrics"])
    file.write_text(table_text(card, table), encoding="utf-8")
    return []


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each mean reward that a second training has not reproduced."""
    found = []
    for costs in cost_sets():
        for name in LEARNED:
            old, new = before[costs]["reward_per_s"][name], now[costs]["reward_per_s"][name]
            if abs(new - old) > REWARD_BOUND:
                found.append(
                    f"With the costs {costs} {name} has {new:.4f} a second, not {old:.4f}."
                )
    return found

