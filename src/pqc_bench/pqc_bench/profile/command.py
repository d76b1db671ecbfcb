# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Write the policy's profile of this hardware from a run of the matrix.

The profile (the policy's parameter `profile`) has the times of the run's primitives, and of each
suite the handshake, the rekey, the interruption and, if the run has a power sensor, the power that
it takes: the policy can then choose the lowest power that was measured. `bench speed --profile`
makes one without a run. Exit code 0: it was written.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pqc_bench.harness.usage import output_file
from pqc_bench.report.command import check as check

_NAME = "measured"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="RUN_FOLDER", help="of bench matrix")
    parser.add_argument(
        "--out", type=output_file, metavar="FILE", required=True, help="where to write the profile"
    )
    parser.add_argument("--name", default=_NAME, help=f"of the profile ({_NAME})")
