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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from pqc_policy.policy.agent_choice import Choice
from pqc_policy.policy.agent_table import table_text
from pqc_policy.policy.agent_view import COLUMNS
from pqc_sim.processes.command_line import whole

from pqc_learning.agent.experience import SIZE, STARTS, Experience, fly_flight
from pqc_learning.agent.fitted_q import Weights, fitted
from pqc_learning.agent.trying_out import metrics
from pqc_learning.environment.episode import CHOICES, Moment
from pqc_learning.environment.seeds import TRAINING, TRYING_OUT

FLIGHTS, TRIED_OUT = 500, 200
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


def rounded(weights: Weights) -> dict[str, list[list[float]]]:
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
    parser.add_argument(
        "--flights",
        type=whole(2, 50_000, "a number of flights"),
        default=FLIGHTS,
        help=f"to train with ({FLIGHTS})",
    )
    parser.add_argument(
        "--seed",
        type=whole(TRAINING.start, TRAINING.stop - 50_000, "a seed"),
        default=TRAINING.start,
        help=f"of the first of them ({TRAINING.start})",
    )
    parser.add_argument(
        "--tried-out",
        type=whole(2, 10_000, "a number of flights"),
        default=TRIED_OUT,
        help=f"flights for the figures on the card ({TRIED_OUT})",
    )
    parser.add_argument(
        "--jobs", type=whole(1, 256, "a number of processes"), default=os.cpu_count()
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="of the table")
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
    """Train, try out, and write the table."""
    options = make_parser().parse_args(arguments)
    began_s = time.monotonic()
    with _processes(options.jobs) as mapper:
        weights, choices = trained(options.flights, options.seed, mapper)
        trained_s = time.monotonic() - began_s
        print(f"Learned from {choices} choices in {trained_s:.0f} s.", file=sys.stderr)
        last = options.seed + options.flights - 1
        card: dict[str, Any] = {
            "name": NAME,
            "about": "Weights for each input of the policy; the sum is the value of a choice.",
            "data": f"simulated flights, seeds {options.seed} to {last}, three cost sets each",
            "seed": options.seed,
            "choices": choices,
            "commit": _commit(),
            "metrics": {},
        }
        assert len(COLUMNS) == len(STARTS)
        table = table_text(card, rounded(weights))
        seeds = range(TRYING_OUT.start, TRYING_OUT.start + options.tried_out)
        card["metrics"] = metrics(table, seeds, mapper)
    options.out.write_text(table_text(card, rounded(weights)), encoding="utf-8")
    print(json.dumps(card["metrics"], indent=1))
    print(
        f"Trained in {trained_s:.0f} s, tried out in "
        f"{time.monotonic() - began_s - trained_s:.0f} s."
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
