# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Compare two runs: the ratio of each suite with its interval, and what differs between machines.

A and B are folders of runs or published ones. Compared are the cells that both have, suite by suite
in the same scenario, load and link: handshake, rekey, round trip, delay, CPU per datagram, power. A
ratio above 1 means that B took more. One page, and its tables as CSV beside it. Exit code 0: the
page was written.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pqc_bench.harness.usage import UsageFault, output_file


def configure(parser: argparse.ArgumentParser) -> None:
    for name in ("a", "b"):
        parser.add_argument(name, type=Path, metavar=name.upper(), help="folder of a run")
    parser.add_argument(
        "--out",
        type=output_file,
        default=Path("compare.html"),
        metavar="FILE.html",
        help="the page (compare.html); the tables go to FILE-tables beside it",
    )


def check(options: argparse.Namespace) -> None:
    for folder in (options.a, options.b):
        if not folder.is_dir():
            raise UsageFault(f"'{folder}' isn't the folder of a run")
