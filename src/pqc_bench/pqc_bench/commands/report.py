# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Turn the folder of a matrix run into a page that says which suite to fly, with tables as CSV.

The page needs no network. Its numbers link to the cells that they come from, and published figures
are shown beside the tables. --compare puts two runs side by side instead. The page lists cells that
failed or whose metrics were altered, and leaves them out of its figures. Exit code 0: the page was
written and no cell was rejected.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import require_folder

from pqc_bench.report.build import compare_report, run_report
from pqc_bench.report.planner import Fleet
from pqc_bench.report.run_data import Run, read_run_folder
from pqc_bench.report.sections.fleets import read_fleet

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
        "--fleet",
        type=_fleet,
        action="append",
        default=[],
        metavar="NAME,WH,MIN,LEVEL,REKEY_S,KBIT_S,RTT_MS",
        help="plan for this fleet, too: battery, flight time, least NIST level, rekey interval, "
        "rate and round trip of the link",
    )
    parser.add_argument(
        "--compare", type=Path, nargs=2, metavar=("A", "B"), help="the folders of two runs"
    )


def run(options: argparse.Namespace) -> int:
    """Write the page; 1 if a cell was rejected."""
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
        report = run_report(runs[0], page_folder, options.fleet)
    tables = report.write(out)
    print(f"{out}, {len(report.tables)} tables in {tables}")
    return 1 if any([_refused(found) for found in runs]) else 0


def _fleet(text: str) -> Fleet:
    try:
        return read_fleet(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _refused(found: Run) -> bool:
    for trouble in found.troubles:
        if trouble.status == "refused":
            print(f"refused: {trouble.reason}")
    return found.refused > 0
