# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Give the cells of a run their power from the file of an external meter.

`bench matrix --power meter` makes a pattern of load at the start and end of the run. This finds it
in what the meter exported, CSV with time, voltage and current, and so the offset and drift of its
clock, and writes traces and energies into the cells. Exit code 0: all cells have their power.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pqc_bench.report.command import check as check


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="RUN_FOLDER", help="of bench matrix")
    parser.add_argument("file", type=Path, metavar="FILE", help="CSV of the meter")
    parser.add_argument(
        "--volts", type=float, help="voltage of the supply, if the file has currents only"
    )
