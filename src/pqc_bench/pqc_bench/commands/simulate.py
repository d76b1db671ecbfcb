# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Run seeded schedules of faults through both ends of the protocol and check its invariants.

A schedule has loss, delay, reordering, duplication, corruption, broken handshake connections,
silences, crashes and rekeys at any moment, under a virtual clock. A schedule that breaks an
invariant is printed with the command that replays it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pqc_sim.processes.command_line import whole
from pqc_sim.processes.summary_file import require_folder, write_summary

from pqc_bench.harness.source_tree import source_tree
from pqc_bench.simulate.campaign import simulate
from pqc_bench.simulate.program import build_simulator
from pqc_bench.simulate.result import Result


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this command."""
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
    parser.add_argument("--suites", default="", help="suites to use, separated by commas")
    parser.add_argument("--out", type=Path, help="file for the result as JSON")


def run(options: argparse.Namespace) -> int:
    """Run the schedules; 0 if every invariant held."""
    require_folder(options.out)
    program = build_simulator(source_tree())
    result = simulate(program, options.schedules, options.seed, options.steps, options.suites)
    print(_text(result))
    if options.out:
        write_summary(options.out, result.summary())
    return 1 if result.violations else 0


def _text(result: Result) -> str:
    lines = [f"VIOLATED  {one['invariant']}: {one['text']}" for one in result.violations]
    lines += [f"  replay: {one['replay']}" for one in result.violations]
    lines.append(
        f"{result.schedules} schedules, {result.steps} steps, {result.simulated_s / 3600:.1f} h "
        f"simulated: {result.rekeys} rekeys ({result.failed_rekeys} failed), "
        f"{result.crashes} crashes, {result.silences} silences, {result.datagrams} datagrams; "
        f"{len(result.violations)} violations; {result.wall_s:.0f} s "
        f"({result.schedules / max(result.wall_s, 0.001):.1f} schedules/s)"
    )
    return "\n".join(lines)
