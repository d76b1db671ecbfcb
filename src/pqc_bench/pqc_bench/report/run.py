# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench report`."""

from __future__ import annotations

import argparse
from pathlib import Path

from pqc_bench.harness.usage import output_file
from pqc_bench.report.build import run_report
from pqc_bench.report.command import PAGE
from pqc_bench.report.run_data import read_run_folder


def run(options: argparse.Namespace) -> int:
    found = read_run_folder(options.folder)
    out: Path = options.out or options.folder / PAGE
    output_file(str(out))
    report = run_report(found, out.absolute().parent)
    tables = report.write(out)
    print(f"{out}, {len(report.tables)} tables as CSV in {tables}")
    for trouble in found.troubles:
        if trouble.status == "refused":
            print(f"refused: {trouble.reason}")
    return 1 if found.refused else 0
