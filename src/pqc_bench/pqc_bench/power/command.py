# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Try the capture of power at its full rate: no gap may go uncounted.

Feeds an emulated INA219 to pqc_power_capture in real time, leaves samples out, and compares what it
recorded with what was fed. Exit code 1: gaps or samples differ, or the energy by more than 1 %.
"""

from __future__ import annotations

import argparse

from pqc_sim.processes.command_line import whole

from pqc_bench.harness.usage import output_file


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seconds", type=whole(1, 86_400), default=600, help="length of the trial (600)"
    )
    parser.add_argument(
        "--rate", type=whole(1, 10_000), default=1100, help="samples per second (1100)"
    )
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")
