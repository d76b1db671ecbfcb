# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench compare`."""

from __future__ import annotations

import argparse

from pqc_bench.compare.build import comparison
from pqc_bench.report.run_data import read_run_folder


def run(options: argparse.Namespace) -> int:
    """Write the page, and print its first sentence."""
    report = comparison(
        read_run_folder(options.a), read_run_folder(options.b), options.out.absolute().parent
    )
    tables = report.write(options.out)
    print(report.sentence)
    print(f"{options.out}, tables as CSV in {tables}")
    return 0
