# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The simulator's program, which is built with the tests and never installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault

_TARGETS = ("pqc_simulate", "pqc_simulate_mistakes")


def build_simulator(source: Path) -> Path:
    """Build the simulator if it is missing or out of date; return its path."""
    build = source / ".dev" / "build" / "pqc_tunnel"
    if not (build / "CMakeCache.txt").is_file():
        raise RunFault("pqc_tunnel isn't built yet: run './dev build'")
    command = ["cmake", "--build", str(build), "--target", *_TARGETS]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if built.returncode != 0:
        print(built.stdout[-2000:], built.stderr, sep="", file=sys.stderr)
        raise RunFault("the simulator can't be built")
    return build / _TARGETS[0]
