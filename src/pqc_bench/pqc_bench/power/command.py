# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Import the file of an external power meter into a run, or try the capture at its full rate.

`bench matrix --power meter` makes a pattern of load at the start and end of the run. With RUN and
--meter this finds the pattern in the meter's CSV (time, voltage, current), and gives each cell its
trace and its energies. Without RUN it feeds an emulated INA219 to pqc_power_capture, with gaps that
it counts, and compares what was fed with what was recorded. Exit code 1: they differ.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pqc_sim.processes.command_line import whole

from pqc_bench.harness.usage import UsageFault, needs, output_file


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=Path, nargs="?", metavar="RUN", help="folder of the run")
    parser.add_argument("--meter", type=Path, metavar="FILE", help="what the meter exported")
    parser.add_argument(
        "--volts", type=float, help="voltage of the supply, if the file has currents only"
    )
    parser.add_argument(
        "--seconds", type=whole(1, 86_400), help="length of the trial without RUN (600)"
    )
    parser.add_argument("--rate", type=whole(1, 10_000), help="samples per second of it (1100)")
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write its JSON")


def check(options: argparse.Namespace) -> None:
    """Reject a run without a meter's file, and options of the other use."""
    trial = options.run is None
    if (options.meter is None) != trial:
        raise UsageFault("RUN and --meter need each other")
    needs(options, "volts", None, not trial, "without RUN")
    needs(options, "seconds", 600, trial, "with RUN")
    needs(options, "rate", 1100, trial, "with RUN")
    needs(options, "out", None, trial, "with RUN")
