# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Run seeded schedules of faults through both ends of the protocol and check its invariants.

A schedule has loss, delay, reordering, duplication, corruption, held-back datagrams, silences,
crashes and rekeys at any moment, under a virtual clock. A schedule that breaks an
invariant is printed with the command that replays it.
"""

from __future__ import annotations

import argparse

from pqc_sim.processes.command_line import whole

from pqc_bench.cell.suite_set import choose_suites


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--schedules", type=whole(1), default=1000, help="how many (default: 1000)")
    parser.add_argument(
        "--seed", type=whole(1), default=1, help="seed of the first schedule (default: 1)"
    )
    parser.add_argument(
        "--steps",
        type=whole(1),
        default=300,
        help="steps of 100 ms in each schedule before the faults end (default: 300)",
    )
    parser.add_argument(
        "--suites", type=choose_suites, help="suites to use, as of bench matrix (all)"
    )
    parser.add_argument(
        "--links",
        type=whole(1, 2),
        default=1,
        help="2: every schedule has two links, of which one or the other is cut (default: some)",
    )
    parser.add_argument(
        "--adversary",
        action="store_true",
        help="somebody owns the network, in place of bad weather: holds, drops, copies and "
        "re-addresses datagrams",
    )
    parser.add_argument(
        "--fleet",
        action="store_true",
        help="two or three drones at one ground station, of which one is hostile: the others must "
        "not notice; without --suites, --links and --adversary",
    )
