# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The command detectors; options/detectors.py describes it."""

from __future__ import annotations

import argparse
import sys
import time

from pqc_learning.data.live import shipped_recordings
from pqc_learning.judging.contenders import NAMES, make_detectors
from pqc_learning.judging.flown import WITHOUT_ATTACKS, fly_all, fly_recordings, memory_kib
from pqc_learning.judging.result import live_result, result
from pqc_learning.judging.result_text import live_tables, tables
from pqc_policy.sensing.detectors.detector_fault import DetectorFault
from pqc_sim.processes.output_path import require_folder
from pqc_sim.processes.summary_file import write_summary

from pqc_bench.harness.machine import commit, machine_kind
from pqc_bench.harness.marked_page import replace_marked
from pqc_bench.harness.usage import UsageFault
from pqc_bench.matrix.progress import time_left
from pqc_bench.options.detectors import TABLES_BEGIN, TABLES_END

_EVERY_S = 10.0


class _Progress:
    """Prints a line now and then, on standard error."""

    def __init__(self, flights: int) -> None:
        self._flights = flights
        self._began_s = self._printed_s = time.monotonic()

    def __call__(self, count: int) -> None:
        now_s = time.monotonic()
        if now_s - self._printed_s < _EVERY_S and count < self._flights:
            return
        self._printed_s = now_s
        left_s = (now_s - self._began_s) / count * (self._flights - count)
        print(f"{count}/{self._flights} flights, {time_left(left_s)}", file=sys.stderr, flush=True)


def run(options: argparse.Namespace) -> int:
    """Fly and compare; the file is written at the end, as a whole."""
    require_folder(options.out)
    names = usable(options.detectors)
    half = options.flights // 2
    numbers = [*range(options.flights), *range(WITHOUT_ATTACKS, WITHOUT_ATTACKS + half)]
    flown = fly_all(names, numbers, options.seed, options.jobs, _Progress(len(numbers)))
    about = {"commit": commit(), "machine": machine_kind()}
    compared = about | result(flown, names, options.seed, memory_kib)
    lines = tables(compared)
    if live := fly_recordings(names, shipped_recordings()):
        compared["live"] = live_result(live, names)
        lines += live_tables(compared["live"])
    print("\n".join(lines))
    if options.out is not None:
        write_summary(options.out, compared)
    if options.tables is not None:
        replace_marked(options.tables, TABLES_BEGIN, TABLES_END, lines)
    return 0


def usable(wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Return the detectors to compare; raise UsageFault if one that was named can't be used.

    Of all, those whose model is missing are left out, with a sentence on standard error.
    """
    found = []
    for name in wanted or NAMES:
        try:
            make_detectors(name)
        except DetectorFault as fault:
            if wanted:
                raise UsageFault(str(fault).rstrip(".")) from fault
            print(f"bench: left out: {fault}", file=sys.stderr)
        else:
            found.append(name)
    return tuple(found)
