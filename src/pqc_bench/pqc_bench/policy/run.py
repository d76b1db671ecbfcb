# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench policy`."""

from __future__ import annotations

import argparse

from pqc_learning.comparison.flown import fly_all
from pqc_learning.comparison.result import result
from pqc_learning.comparison.result_text import tables
from pqc_sim.processes.output_path import require_folder

from pqc_bench.harness.comparison_options import write_results
from pqc_bench.harness.time_left import FlightProgress
from pqc_bench.policy.command import TABLES


def run(options: argparse.Namespace) -> int:
    """Fly and compare; the file is written at the end, as a whole."""
    require_folder(options.out)
    progress = FlightProgress(options.flights)
    flown = fly_all(
        options.strategies,
        options.flights,
        options.seed,
        options.jobs,
        lambda count, _: progress(count),
    )
    flown_s = sum(one.seconds for flight in flown for one in flight.outcomes.values())
    speed = flown_s / max(progress.seconds, 1e-9)
    compared = result(flown, options.strategies, options.seed)
    lines = tables(compared)
    print("\n".join(lines))
    print(f"Flown {speed:,.0f} times faster than real time, {options.jobs} processes.")
    write_results(options, compared, TABLES, lines)
    return 0
