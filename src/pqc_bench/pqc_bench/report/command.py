# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Turn the folder of a matrix run into a page that says which suite to fly, with tables as CSV.

The page needs no network. Its numbers link to the cells that they come from, and published figures
are shown beside the tables. The page lists cells that failed or whose metrics were altered, and
leaves them out of its figures. Exit code 0: the page was written and no cell was rejected.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pqc_bench.harness.usage import UsageFault, output_file

PAGE = "report.html"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="RUN_FOLDER", help="of bench matrix")
    parser.add_argument(
        "--out",
        type=output_file,
        metavar="FILE.html",
        help=f"the page ({PAGE} in the run's folder); the tables go to FILE-tables beside it",
    )


def check(options: argparse.Namespace) -> None:
    folder: Path = options.folder
    if not folder.is_dir():
        what = "is a file; name the folder of the run" if folder.exists() else "doesn't exist"
        raise UsageFault(f"'{folder}' {what}")
