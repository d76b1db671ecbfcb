# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench check`."""

from __future__ import annotations

import argparse
from pathlib import Path

from pqc_sim.processes.summary_file import write_summary

from pqc_bench.check.comparison import compare
from pqc_bench.harness.source_tree import source_tree
from pqc_bench.harness.usage import UsageFault
from pqc_bench.report.build import run_report
from pqc_bench.report.run_data import read_run_folder


def run(options: argparse.Namespace) -> int:
    """Print each deviation and the verdict; 0 if every figure agrees."""
    published: Path = options.published or source_tree() / "docs" / "benchmarks"
    found = compare(
        _tables(options.report),
        _read(published),
        relative=options.relative,
        partial=options.partial,
    )
    for deviation in found.deviations:
        print(deviation.text)
    for text in found.not_compared:
        print(f"Not compared: {text}")
    if options.relative:
        print(f"Times are divided by {found.scale:.3g}, the speed of this machine's cryptography.")
    print(found.verdict)
    if options.out is not None:
        write_summary(options.out, found.document())
    return 0 if found.agrees else 1


def _tables(folder: Path) -> dict[str, str]:
    if (folder / "run.json").is_file():
        return run_report(read_run_folder(folder), folder).tables
    return _read(folder)


def _read(folder: Path) -> dict[str, str]:
    tables = {file.stem: file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.csv"))}
    if not tables:
        raise UsageFault(f"'{folder}' has neither run.json nor tables (*.csv)")
    return tables
