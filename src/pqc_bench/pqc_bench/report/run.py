# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench report`."""

from __future__ import annotations

import argparse
from pathlib import Path

from pqc_bench.harness.usage import output_file
from pqc_bench.report.build import compare_report, run_report
from pqc_bench.report.command import COMPARISON, PAGE
from pqc_bench.report.run_data import Run, read_run_folder


def run(options: argparse.Namespace) -> int:
    """Write the page; 1 if a cell was rejected."""
    folders: list[Path] = options.compare or [options.folder]
    runs = [read_run_folder(folder) for folder in folders]
    out: Path = options.out or (Path(COMPARISON) if options.compare else options.folder / PAGE)
    output_file(str(out))
    page_folder = out.absolute().parent
    if options.compare:
        report = compare_report(*runs, page_folder)
    else:
        report = run_report(runs[0], page_folder)
    tables = report.write(out)
    print(f"{out}, {len(report.tables)} tables as CSV in {tables}")
    return 1 if any([_refused(found) for found in runs]) else 0


def _refused(found: Run) -> bool:
    for trouble in found.troubles:
        if trouble.status == "refused":
            print(f"refused: {trouble.reason}")
    return found.refused > 0
