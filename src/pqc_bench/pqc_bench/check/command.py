# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Compare a run with the published tables, within stated tolerances.

REPORT is the folder of a run, or a folder of tables that `bench report` has written. Each figure
outside its tolerance is a line; the last line is the verdict. Times may differ by a factor of 2,
tails and extremes by 5, losses by 0.1 percentage points, sizes not at all; a figure with an
interval deviates only if the whole interval does. A published table, column or row that the report
lacks deviates, too, unless --partial is given. docs/benchmarks/data-card.md has all tolerances.
Exit code 0: every figure agrees.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pqc_bench.harness.usage import UsageFault, output_file


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("report", type=Path, metavar="REPORT", help="folder of a run or of tables")
    parser.add_argument(
        "--published",
        type=Path,
        metavar="FOLDER",
        help="the tables to compare with (docs/benchmarks of the source tree)",
    )
    parser.add_argument(
        "--relative",
        action="store_true",
        help="for another machine: divide times by how much slower its cryptography is",
    )
    parser.add_argument(
        "--partial",
        action="store_true",
        help="accept that the run lacks published tables, columns and rows",
    )
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")


def check(options: argparse.Namespace) -> None:
    for folder in (options.report, options.published):
        if folder is not None and not folder.is_dir():
            what = "is a file; name a folder" if folder.exists() else "doesn't exist"
            raise UsageFault(f"'{folder}' {what}")
