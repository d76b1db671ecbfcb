# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Turn a matrix run's folder into one page that says which suite to fly, and its tables as CSV.

The page loads nothing from anywhere, and its numbers link to the cells that they came from; the
published figures stand beside each table. --compare puts two runs side by side instead. Cells whose
metrics were altered, or failed, are told on the page and left out of its figures. 0 if the page was
written and no cell had to be refused.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import require_folder

from pqc_bench.report.build import compare_report, run_report
from pqc_bench.report.run_data import Run, read_run_folder

_PAGE = "report.html"
_COMPARISON = "comparison.html"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "folder", type=Path, nargs="?", metavar="RUN_FOLDER", help="of bench matrix"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE.html",
        help=f"the page ({_PAGE} in the run's folder; {_COMPARISON} here for --compare); the "
        "tables go to FILE-tables beside it",
    )
    parser.add_argument(
        "--compare", type=Path, nargs=2, metavar=("A", "B"), help="the folders of two runs"
    )


def run(options: argparse.Namespace) -> int:
    """Write the page; 1 if a cell was refused."""
    if (options.folder is None) == (options.compare is None):
        raise RunFault("name one run's folder, or two with --compare")
    folders: list[Path] = options.compare or [options.folder]
    runs = [read_run_folder(folder) for folder in folders]
    out: Path = options.out or (Path(_COMPARISON) if options.compare else options.folder / _PAGE)
    require_folder(out)
    page_folder = out.absolute().parent
    if options.compare:
        report = compare_report(*runs, page_folder)
    else:
        report = run_report(runs[0], page_folder)
    tables = report.write(out)
    print(f"{out}, {len(report.tables)} tables in {tables}")
    return 1 if any([_refused(found) for found in runs]) else 0


def _refused(found: Run) -> bool:
    for trouble in found.troubles:
        if trouble.status == "refused":
            print(f"refused: {trouble.reason}")
    return found.refused > 0
