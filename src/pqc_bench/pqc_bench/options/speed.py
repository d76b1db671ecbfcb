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
import fnmatch

from pqc_policy.policy.suites import AEADS, KEMS, SIGNATURES
from pqc_sim.processes.command_line import milliseconds, whole

from pqc_bench.harness.usage import UsageFault, needs, output_file, unknown

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
        type=_pattern,
        action="append",
        default=[],
        metavar="PATTERN",
        help="algorithms by their names in suite ids, such as 'mlkem*'; may be repeated",
    )
    parser.add_argument("--out", type=output_file, metavar="FILE", help="where to write the JSON")
    parser.add_argument(
        "--profile",
        type=output_file,
        metavar="FILE",
        help="where to write a profile for the policy",
    )
    parser.add_argument("--name", help="of the profile (measured)")
    parser.add_argument(
        "--fixed-ms",
        type=milliseconds,
        metavar="MS",
        help="time of a handshake besides its primitives, for the profile (0)",
    )


def check(options: argparse.Namespace) -> None:
    """Reject a profile of a part of the algorithms, and its options without a profile."""
    profile = options.profile is not None
    needs(options, "name", "measured", profile, "without --profile")
    needs(options, "fixed_ms", 0.0, profile, "without --profile")
    if profile and options.only:
        for algorithm in (*KEMS, *SIGNATURES):
            if not any(fnmatch.fnmatchcase(algorithm, pattern) for pattern in options.only):
                raise UsageFault(
                    f"a profile needs every KEM and signature, but --only leaves out {algorithm}"
                )


def _pattern(text: str) -> str:
    known = (*KEMS, *SIGNATURES, *AEADS)
    if not fnmatch.filter(known, text):
        raise unknown("algorithm", text, known)
    return text
