# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Judge the detectors of attacks on generated flights that no training has seen.

Bins, advisor and models are those that fly. The flights have other models of losses, delays and
attacks than those for training, and look-alikes: handovers, antenna shadows, range, a vehicle that
sends less, a busy computer. Attacks that are detected within 6 s count, and false alarms per hour
of normal flight. The recordings of the real tunnel that come with the package (`bench record`) have
rows of their own. docs/learning.md says what came out.
"""

from __future__ import annotations

import argparse
from functools import partial

from pqc_sim.processes.command_line import whole

from pqc_bench.harness.comparison_options import add_running_and_results, fill_jobs, names_of

# The first seed that was not used while generators and models were made.
HELD_OUT = 2_000_000
TABLES = "<!-- detectors -->", "<!-- end of detectors -->"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--flights",
        type=whole(1, 50_000, "a number of flights"),
        default=128,
        help="flights of 12 minutes with attacks; half as many have none (128)",
    )
    parser.add_argument(
        "--seed",
        type=whole(0, 1_000_000_000, "a seed"),
        default=HELD_OUT,
        help=f"of the flights; smaller ones served for making the generators ({HELD_OUT})",
    )
    parser.add_argument(
        "--detectors",
        type=partial(names_of, "--detectors"),
        default=(),
        help="of heuristic, trees, transformer and models of your own, +counters and +baseline for "
        "those beside it; "
        "with commas (all)",
    )
    add_running_and_results(parser, TABLES, "docs/learning.md")


def check(options: argparse.Namespace) -> None:
    fill_jobs(options)
