# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Train the agent of the strategies rl and hybrid, and write its table with a card.

First it chooses at random in some flights, learns from that, then follows what it has learned in
other flights, but for one choice of ten, and learns from both. numpy is all that is needed. The
figures of the card are of flights that were not used for training; those with seeds from 1,000,000
on are left to ./dev bench policy.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from importlib import resources
from operator import add
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pqc_policy.policy.agent_choice import Choice
from pqc_policy.policy.agent_table import SHIPPED, load_agent, table_text
from pqc_sim.processes.command_line import whole

from pqc_learning.agent.experience import SIZE, STARTS, Experience, fly_flight
from pqc_learning.agent.fitted_q import Weights, fitted
from pqc_learning.agent.trying_out import metrics
from pqc_learning.closed_loop.cost_set import cost_sets
from pqc_learning.environment.episode import CHOICES, Moment
from pqc_learning.environment.seeds import TRAINING, TRYING_OUT

FLIGHTS, TRIED_OUT = 200, 40
REWARD_BOUND = 0.005
_SHIPPED = Path(str(resources.files("pqc_policy.policy.agents").joinpath(SHIPPED)))
Rounded = dict[str, list[list[float]]]
NAME = "flight_agent"
_DECIMALS = 4
T = TypeVar("T")
Map = Callable[[Callable[[int], T], Iterable[int]], Iterable[T]]


class Greedy:
    """Takes the best choice that is open, by weights."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights

    def __call__(self, moment: Moment, chance: np.random.Generator) -> Choice:
        """Return the choice; of equal ones the first."""
        found = self._weights[:, np.array(moment.view) + STARTS].sum(axis=1)
        return max(moment.able, key=lambda choice: float(found[CHOICES.index(choice)]))


def trained(flights: int, first_seed: int, mapper: Map[Experience]) -> tuple[Weights, int]:
    """Return the weights after two rounds of flights, and from how many choices they are."""
    half = flights // 2
    seeds = range(first_seed, first_seed + half), range(first_seed + half, first_seed + flights)
    known = reduce(add, mapper(partial(fly_flight, best=None), seeds[0]))
    greedy = Greedy(fitted(known))
    known = known + reduce(add, mapper(partial(fly_flight, best=greedy), seeds[1]))
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


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the options."""
    parser = argparse.ArgumentParser(
        prog="train agent", description=__doc__.partition("\n\n")[0], allow_abbrev=False
    )
    first = TRAINING.start

    def option(name: str, kind: Callable[[str], int], default: int | None, text: str) -> None:
        parser.add_argument(name, type=kind, default=default, help=f"{text} ({default})")

    option("--flights", whole(2, 50_000, "a number of flights"), FLIGHTS, "flights to train with")
    option("--seed", whole(first, TRAINING.stop - 50_000, "a seed"), first, "of the first of them")
    option(
        "--tried-out",
        whole(2, 10_000, "a number of flights"),
        TRIED_OUT,
        "flights for the figures on the card",
    )
    option("--jobs", whole(1, 256, "a number of processes"), os.cpu_count(), "processes")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", default=_SHIPPED, help="of the table (the shipped one)"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; fail if a mean reward of rl or hybrid differs from that on the card "
        f"of the table by more than {REWARD_BOUND:g} a second",
    )
    return parser


@contextmanager
def _processes(count: int) -> Iterator[Map[Any]]:
    if count == 1:
        yield map
        return
    with multiprocessing.Pool(count) as pool:
        yield pool.imap


def _commit() -> str:
    here = Path(__file__).parent
    command = ["git", "-C", str(here), "describe", "--always", "--dirty", "--abbrev=12"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, try out, and write the table; with --check compare it with the one that is there."""
    options = make_parser().parse_args(arguments)
    before = load_agent(options.out).card["metrics"] if options.check else None
    card, weights = _trained_and_tried_out(options)
    print(json.dumps(card["metrics"], indent=1))
    if before is not None:
        found = differences(before, card["metrics"])
        print("\n".join(found) or "The figures of the card are reproduced.")
        return 1 if found else 0
    options.out.write_text(table_text(card, weights), encoding="utf-8")
    return 0


def _trained_and_tried_out(options: argparse.Namespace) -> tuple[dict[str, Any], Rounded]:
    began_s = time.monotonic()
    last = options.seed + options.flights - 1
    card: dict[str, Any] = {
        "name": NAME,
        "about": "Weights for each input of the policy; the sum is the value of a choice.",
        "data": f"simulated flights, seeds {options.seed} to {last}, three cost sets each",
        "seed": options.seed,
        "commit": _commit(),
        "metrics": {},
    }
    with _processes(options.jobs) as mapper:
        found, card["choices"] = trained(options.flights, options.seed, mapper)
        trained_s = time.monotonic() - began_s
        print(f"Learned from {card['choices']} choices in {trained_s:.0f} s.", file=sys.stderr)
        weights = rounded(found)
        seeds = range(TRYING_OUT.start, TRYING_OUT.start + options.tried_out)
        card["metrics"] = metrics(table_text(card, weights), seeds, mapper)
    print(f"Tried out in {time.monotonic() - began_s - trained_s:.0f} s.", file=sys.stderr)
    return card, weights


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each mean reward that a second training has not reproduced."""
    found = []
    for costs in cost_sets():
        for name in ("rl", "hybrid"):
            old, new = before[costs]["reward_per_s"][name], now[costs]["reward_per_s"][name]
            if abs(new - old) > REWARD_BOUND:
                found.append(
                    f"With the costs {costs} {name} has {new:.4f} a second, not {old:.4f}."
                )
    return found


if __name__ == "__main__":
    raise SystemExit(main())
