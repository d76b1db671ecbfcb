# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench detectors`."""

from __future__ import annotations

import argparse
import sys

from pqc_learning.data.live import shipped_recordings
from pqc_learning.judging.contenders import NAMES, make_detectors
from pqc_learning.judging.flown import WITHOUT_ATTACKS, fly_all, fly_recordings, memory_kib
from pqc_learning.judging.result import live_result, result
from pqc_learning.judging.result_text import live_tables, tables
from pqc_policy.sensing.detectors.detector_fault import DetectorFault
from pqc_sim.processes.output_path import require_folder

from pqc_bench.detectors.command import TABLES
from pqc_bench.harness.comparison_options import write_results
from pqc_bench.harness.machine import commit, machine_kind
from pqc_bench.harness.time_left import FlightProgress
from pqc_bench.harness.usage import UsageFault


def run(options: argparse.Namespace) -> int:
    """Fly and compare; the file is written at the end, as a whole."""
    require_folder(options.out)
    names = usable(options.detectors)
    half = options.flights // 2
    numbers = [*range(options.flights), *range(WITHOUT_ATTACKS, WITHOUT_ATTACKS + half)]
    flown = fly_all(names, numbers, options.seed, options.jobs, FlightProgress(len(numbers)))
    about = {"commit": commit(), "machine": machine_kind()}
    compared = about | result(flown, names, options.seed, memory_kib)
    lines = tables(compared)
    if live := fly_recordings(names, shipped_recordings()):
        compared["live"] = live_result(live, names)
        lines += live_tables(compared["live"])
    print("\n".join(lines))
    write_results(options, compared, TABLES, lines)
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
