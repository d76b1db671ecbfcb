# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Change every comparison and guard of the tunnel's core, one at a time: does a test notice?

Builds a copy of pqc_tunnel that holds all these mutants, each switched on by a variable, in
.dev/build/mutants. Each mutant runs the cases in which it changes a value, the narrowest first,
until one fails.
A mutant that survives must stand in src/pqc_tunnel/test/surviving_mutants.yaml with the reason why
it may; any other one is a failure. Listed ones would run all cases: they are tried only on request.
"""

from __future__ import annotations

import argparse

from pqc_sim.processes.command_line import whole

from pqc_bench.harness.usage import UsageFault, output_file

ROOMS = ("protocol", "link")  # of src/ of pqc_tunnel


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="PATTERN",
        default=["*"],
        help="files of the core, as protocol/session/key_slots.* or link/* (default: all)",
    )
    parser.add_argument("--listed", action="store_true", help="try the listed survivors, too")
    parser.add_argument("--sample", type=whole(1), metavar="N", help="so many mutants, at random")
    parser.add_argument("--seed", type=whole(0), default=1, help="of the sample (default: 1)")
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")


def check(options: argparse.Namespace) -> None:
    """Require that each pattern names a room."""
    if any(pattern.split("/")[0] not in ("*", *ROOMS) for pattern in options.only):
        raise UsageFault(f"--only begins with {' or '.join(room + '/' for room in ROOMS)}")
