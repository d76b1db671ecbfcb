# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Join the parts of a run that `bench matrix --shard K/N` has run on several computers.

PARTS are folders of runs of one matrix. Their cells, as they are, and what is known of them go into
the folder OUT, which `bench report` reads, and which `bench matrix --resume` completes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pqc_bench.harness.usage import UsageFault, check_output_folder


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("parts", type=Path, nargs="+", metavar="PART", help="folder of a part")
    parser.add_argument("--out", type=Path, required=True, help="folder of the whole run, new")


def check(options: argparse.Namespace) -> None:
    """Reject folders that don't exist, and one for the whole that does."""
    for part in options.parts:
        if not part.is_dir():
            raise UsageFault(f"there is no folder '{part}'")
    if options.out.exists():
        raise UsageFault(f"'{options.out}' exists; --out names a new folder")
    check_output_folder(options.out)
