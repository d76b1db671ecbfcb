# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The arguments that the comparisons over many flights share: processes, result, tables."""

from __future__ import annotations

import argparse
import os
from functools import partial
from pathlib import Path
from typing import Any

from pqc_sim.processes.command_line import whole
from pqc_sim.processes.summary_file import write_summary

from pqc_bench.harness.usage import UsageFault, output_file


def add_running_and_results(
    parser: argparse.ArgumentParser, marks: tuple[str, str], page: str
) -> None:
    """Add --jobs, --out and --tables; `marks` are around the tables of a page such as `page`."""
    parser.add_argument(
        "--jobs", type=whole(1, 256, "a number of processes"), help="processes (one for each core)"
    )
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")
    parser.add_argument(
        "--tables",
        type=partial(_page, marks),
        metavar="PAGE",
        help=f"a page in which the tables are replaced, as {page}",
    )


def names_of(option: str, text: str) -> tuple[str, ...]:
    """Return the names that an option gives with commas, each once; UsageFault if there is none."""
    names = tuple(dict.fromkeys(filter(None, text.split(","))))
    if not names:
        raise UsageFault(f"{option} names none")
    return names


def fill_jobs(options: argparse.Namespace) -> None:
    """Fill in the number of processes, at most one for each flight."""
    options.jobs = min(options.jobs or os.cpu_count() or 1, options.flights)


def write_results(
    options: argparse.Namespace, result: dict[str, Any], marks: tuple[str, str], lines: list[str]
) -> None:
    """Write the result, and the lines between the marks of a page, where options name files."""
    if options.out is not None:
        write_summary(options.out, result)
    if options.tables is not None:
        replace_marked(options.tables, marks, lines)


def replace_marked(page: Path, marks: tuple[str, str], lines: list[str]) -> None:
    begin, end = marks
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    page.write_text("\n".join([f"{before}{begin}", "", *lines, f"{end}{after}"]), encoding="utf-8")


def _page(marks: tuple[str, str], text: str) -> Path:
    page = output_file(text)
    content = page.read_text(encoding="utf-8") if page.is_file() else ""
    if not all(mark in content for mark in marks):
        raise UsageFault(f"'{page}' has no place for tables: {' and '.join(marks)}")
    return page
