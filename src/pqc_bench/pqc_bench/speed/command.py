# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Time every primitive: key encapsulation, signatures, sealing and opening.

The program pqc_speed takes samples in interleaved rounds, so that a disturbance affects all
operations alike. The table shows medians with their spread; SPHINCS+-s and Classic McEliece take
minutes unless --seconds-cap limits them. --profile writes a profile for the policy (its parameter
`profile`), which then decides by the costs of this machine. For that it also measures a rekey to
every suite, as `bench rekey --suites all --ahead` does (some ten minutes): interruption, bytes and
time. Where the computer has a power sensor, INA219 or RAPL, the profile gets the power of a busy
core and of the ciphers; the machine should do nothing else meanwhile. Exit code 1: a primitive gave
a wrong result, and there is no profile; or the rekeys had faults, and there is one.
"""

from __future__ import annotations

import argparse
import fnmatch
from pathlib import Path
from typing import Any

from pqc_policy.named_files import FileFault, read_document
from pqc_policy.policy.suites import AEADS, KEMS, SIGNATURES
from pqc_sim.processes.command_line import whole

from pqc_bench.harness.usage import UsageFault, needs, output_file, unknown
from pqc_bench.power.source import AUTO, METER, power_source

_MOST = 1_000_000
# A profile takes these fields of the record of a suite.
_OF_A_REKEY = {
    "suite",
    "rekeys",
    "new_sessions",
    "handshake_ms",
    "primitives_ms",
    "longest_gap_ms",
    "bytes",
}


def configure(parser: argparse.ArgumentParser) -> None:
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
        "--rekeys",
        type=_result,
        metavar="FILE",
        help="for the profile, a result of `bench rekey --out`, instead of measuring rekeys now",
    )
    parser.add_argument(
        "--sys-root", type=Path, metavar="FOLDER", help="where a power sensor is searched (/sys)"
    )
    parser.add_argument(
        "--power",
        type=power_source,
        metavar="SOURCE",
        help="for the profile: auto, none, or options of pqc_power_capture, such as '--source i2c' "
        "(auto)",
    )


def check(options: argparse.Namespace) -> None:
    """Reject a profile of a part of the algorithms, and its options without a profile."""
    profile = options.profile is not None
    needs(options, "name", "measured", profile, "without --profile")
    needs(options, "rekeys", None, profile, "without --profile")
    needs(options, "sys_root", Path("/sys"), profile, "without --profile")
    needs(options, "power", AUTO, profile, "without --profile")
    if options.power == METER:
        raise UsageFault("--power meter is for `bench matrix`")
    if not options.sys_root.is_dir():
        raise UsageFault(f"there is no folder '{options.sys_root}' for --sys-root")
    if profile and options.only:
        for algorithm in (*KEMS, *SIGNATURES):
            if not any(fnmatch.fnmatchcase(algorithm, pattern) for pattern in options.only):
                raise UsageFault(
                    f"a profile needs every KEM and signature, but --only leaves out {algorithm}"
                )


def _result(text: str) -> dict[str, Any]:
    try:
        result = read_document(Path(text))
    except FileFault as fault:
        raise argparse.ArgumentTypeError(f"{text} {fault}") from fault
    if not isinstance(result, dict) or not {"suites", "totals"} <= set(result):
        raise argparse.ArgumentTypeError(f"{text} isn't a result of `bench rekey`")
    if any(_OF_A_REKEY - set(record) for record in result["suites"]):
        raise argparse.ArgumentTypeError(f"{text} is of an older `bench rekey`: measure again")
    return result


def _pattern(text: str) -> str:
    known = (*KEMS, *SIGNATURES, *AEADS)
    if not fnmatch.filter(known, text):
        raise unknown("algorithm", text, known)
    return text
