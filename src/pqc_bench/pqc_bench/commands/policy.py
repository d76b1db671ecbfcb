# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The command policy; options/policy.py describes it."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from pqc_learning.comparison.flown import FlownFlight, fly_all
from pqc_learning.comparison.result import result
from pqc_learning.comparison.result_text import tables
from pqc_sim.processes.output_path import require_folder
from pqc_sim.processes.summary_file import write_summary

from pqc_bench.harness.marked_page import replace_marked
from pqc_bench.matrix.progress import time_left
from pqc_bench.options.policy import TABLES_BEGIN, TABLES_END

_EVERY_S = 5.0


class _Progress:
    """Prints a line now and then, on standard error."""

    def __init__(self, flights: int) -> None:
        self._flights = flights
        self._began_s = self._printed_s = time.monotonic()
        self.flown_s = 0.0

    def __call__(self, count: int, flight: FlownFlight) -> None:
        self.flown_s += sum(one.seconds for one in flight.outcomes.values())
        now_s = time.monotonic()
        if now_s - self._printed_s < _EVERY_S and count < self._flights:
            return
        self._printed_s = now_s
        left_s = (now_s - self._began_s) / count * (self._flights - count)
        print(f"{count}/{self._flights} flights, {time_left(left_s)}", file=sys.stderr, flush=True)

    def speed(self) -> float:
        """Return how many times faster than real time the flights were flown."""
        return self.flown_s / max(time.monotonic() - self._began_s, 1e-9)


def run(options: argparse.Namespace) -> int:
    """Fly and compare; the file is written at the end, as a whole."""
    require_folder(options.out)
    progress = _Progress(options.flights)
    flown = fly_all(options.strategies, options.flights, options.seed, options.jobs, progress)
    speed = progress.speed()
    compared = result(flown, options.strategies, options.seed)
    lines = tables(compared)
    print("\n".join(lines))
    print(f"Flown {speed:,.0f} times faster than real time, {options.jobs} processes.")
    if options.out is not None:
        write_summary(options.out, compared)
    if options.tables is not None:
        replace_tables(options.tables, lines)
    return 0


def replace_tables(page: Path, lines: list[str]) -> None:
    """Replace what stands between the marks of a page."""
    replace_marked(page, TABLES_BEGIN, TABLES_END, lines)
