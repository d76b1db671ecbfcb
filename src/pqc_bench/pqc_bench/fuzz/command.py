# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Feed the tunnel's parsers, state machines and entry points generated input.

Builds the libFuzzer targets of src/pqc_tunnel/fuzz with Clang's address and undefined behaviour
sanitizers into .dev/build/fuzz and runs one after the other as the tests do, from the corpora that
are checked in. What is found stays below .dev/build/fuzz/fuzz, and the next run begins with it.
"""

from __future__ import annotations

import argparse

from pqc_sim.processes.command_line import whole

from pqc_bench.harness.source_tree import source_tree
from pqc_bench.harness.usage import unknown


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seconds", type=whole(1), default=60, help="how long with each target (default: 60)"
    )
    parser.add_argument("--target", help="one target only (a file of src/pqc_tunnel/fuzz)")


def check(options: argparse.Namespace) -> None:
    """Require that the target exists."""
    if options.target and options.target not in targets():
        raise unknown("target", options.target, targets())


def targets() -> list[str]:
    return sorted(
        file.stem for file in (source_tree() / "src" / "pqc_tunnel" / "fuzz").glob("*.cpp")
    )
