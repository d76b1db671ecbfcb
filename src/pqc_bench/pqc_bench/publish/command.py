# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Make a folder of a run that others can use: tables, traces, a bag, and what describes them.

The folder has the report, its tables and one of all cells as CSV and Parquet, the metrics of each
cell, the power over time, one bag, the environment, the command that repeats the run, the licence,
and a description as Frictionless data package, which Frictionless itself checks. Nothing in it may
name a host, a user, a network address, a home folder or a key; each file is searched for them. Exit
code 0: the folder is complete, valid, and names none.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pqc_bench.harness.usage import UsageFault, check_output_folder


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="RUN_FOLDER", help="of bench matrix")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="new folder (published, in the run's folder)"
    )
    parser.add_argument(
        "--bag", metavar="CELL", help="the cell whose bag is published (the first of the report)"
    )


def check(options: argparse.Namespace) -> None:
    """Reject a folder that isn't there, and one that would be overwritten."""
    if not options.folder.is_dir():
        raise UsageFault(f"'{options.folder}' isn't the folder of a run")
    options.out = options.out or options.folder / "published"
    if options.out.exists():
        raise UsageFault(f"'{options.out}' exists; name a new folder with --out")
    check_output_folder(options.out)
