# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The option --summary of the loads."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pqc_sim.processes.command_line import Parser
from pqc_sim.processes.output_path import require_folder
from pqc_sim.processes.run_fault import RunFault


def parse_with_summary(parser: Parser, arguments: list[str] | None) -> argparse.Namespace:
    """Add --summary and parse; exit with 1 and a sentence if its folder does not exist."""
    parser.add_argument("--summary", type=Path, metavar="FILE", help="JSON with the measured use")
    options = parser.parse_args(arguments)
    try:
        require_folder(options.summary)
    except RunFault as fault:
        print(f"{parser.prog}: {fault}", file=sys.stderr)
        raise SystemExit(1) from fault
    return options
