# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Time every primitive: key encapsulation, signatures, sealing and opening.

The program pqc_speed takes samples in interleaved rounds, so that a disturbance affects all
operations alike. The table shows medians with their spread; SPHINCS+-s and Classic McEliece take
minutes unless --seconds-cap limits them. --profile writes the times as a profile for the policy
(its parameter `profile`), which then decides by the costs of this machine.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pqc_sim.pair.programs import tool_program
from pqc_sim.processes.command_line import seconds, whole
from pqc_sim.processes.summary_file import require_folder, write_summary

from pqc_bench.harness.machine import commit, machine_kind
from pqc_bench.speed.profile import policy_profile
from pqc_bench.speed.program import run_speed

_MOST = 1_000_000


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("--count", type=whole(1, _MOST), default=200, help="samples of each (200)")
    parser.add_argument(
        "--seconds-cap",
        type=whole(1, _MOST),
        default=0,
        metavar="N",
        help="stop sampling an operation after N s in total (no cap)",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="PATTERN",
        help="algorithms by their names in suite ids, such as 'mlkem*'; may be repeated",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write the JSON")
    parser.add_argument(
        "--profile", type=Path, metavar="FILE", help="where to write a profile for the policy"
    )
    parser.add_argument("--name", default="measured", help="of the profile (measured)")
    parser.add_argument(
        "--fixed-ms",
        type=seconds,
        default=0.0,
        metavar="MS",
        help="time of a handshake besides its primitives, for the profile (0)",
    )


def run(options: argparse.Namespace) -> int:
    """Measure; 0 if every primitive gave right results."""
    for file in (options.out, options.profile):
        require_folder(file)
    program = tool_program("pqc_speed")
    report = run_speed(program, options.count, options.seconds_cap, options.only)
    report = {**report, "machine": machine_kind(), "commit": commit()}
    if options.out is not None:
        write_summary(options.out, report)
    if options.profile is not None:
        document = policy_profile(report, options.name, options.fixed_ms)
        write_summary(options.profile, document)
    return 0
