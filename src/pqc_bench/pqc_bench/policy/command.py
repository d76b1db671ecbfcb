# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Fly strategies of the policy over the same simulated flights, and compare what they lose.

Policy, advisor and battery monitor are those that fly; vehicle, radio, adversaries and tunnels are
simulated, much faster than real time. Each flight is drawn from its seed, and every strategy meets
the same flight, with the costs of this tunnel at floor 3 (as shipped) and at floor 1, and with
those of the seeds' program, which stops the data for a rekey. The differences are paired, with
intervals of 95 % by the bootstrap. docs/policy-evaluation.md says what came out.
"""

from __future__ import annotations

import argparse

from pqc_policy.policy.config import STRATEGY_NAMES
from pqc_sim.processes.command_line import whole

from pqc_bench.harness.comparison_options import add_running_and_results, fill_jobs, names_of
from pqc_bench.harness.usage import unknown

# The baselines of pqc_learning.closed_loop.contestants, which takes long to import.
BASELINE_NAMES = ("static_light", "static_default", "static_heavy", "version_0_2", "rotate")
# The first seed that was not used while model and distribution were made.
HELD_OUT = 1_000_000
TABLES = "<!-- tables -->", "<!-- end of tables -->"


def names() -> tuple[str, ...]:
    """Return the names of all that can be compared."""
    return (*BASELINE_NAMES, *(name for name in STRATEGY_NAMES if name != "static"))


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--flights",
        type=whole(2, 1_000_000, "a number of flights"),
        default=200,
        help="how many flights (200)",
    )
    parser.add_argument(
        "--seed",
        type=whole(0, 1_000_000_000, "a seed"),
        default=HELD_OUT,
        help=f"of the first flight; smaller ones served for making the model ({HELD_OUT})",
    )
    parser.add_argument(
        "--strategies",
        type=_strategies,
        default=names(),
        help=f"of {', '.join(names())}; with commas (all)",
    )
    add_running_and_results(parser, TABLES, "docs/policy-evaluation.md")


def check(options: argparse.Namespace) -> None:
    fill_jobs(options)


def _strategies(text: str) -> tuple[str, ...]:
    wanted = names_of("--strategies", text)
    for name in wanted:
        if name not in names():
            raise unknown("strategy", name, names())
    return wanted
