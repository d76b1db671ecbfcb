# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m pqc_bench.load.detector NAME`: a real detector as the load of a scenario.

It is the drone's `advisor_node` with that detector, on the drone's topics, or, where there is no
ROS, the detector alone, which reads the states that `pqc_tunneld --status` writes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pqc_sim.processes.command_line import Parser

from pqc_bench.load.summary_option import parse_with_summary


def _parser() -> Parser:
    parser = Parser(
        prog="load.detector",
        description="Run a detector on a drone's topics, or on the states of its tunnel, until "
        "SIGTERM, and report its use of the machine.",
    )
    parser.add_argument("detector", help="trees, transformer, or any detector of the advisor node")
    parser.add_argument("--namespace", default="/pqc", help="of the drone (/pqc)")
    parser.add_argument("--model-dir", help="learned.model_dir of the node")
    parser.add_argument(
        "--status",
        type=Path,
        metavar="FILE",
        help="without ROS: what the drone's pqc_tunneld --status writes, from its start on",
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run until a signal; 2 if the detector can't be used."""
    options = parse_with_summary(_parser(), arguments)
    if options.status is not None:
        from pqc_bench.load.status_detector import run_on_states

        return run_on_states(options.detector, options.summary, options.status, options.model_dir)
    from pqc_bench.load.advisor_load import run_advisor

    return run_advisor(options.detector, options.summary, options.namespace, options.model_dir)


if __name__ == "__main__":
    sys.exit(main())
