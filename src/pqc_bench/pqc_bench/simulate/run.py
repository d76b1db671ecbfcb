# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench simulate`: the simulator of pqc_tunnel's tests, which is built with them."""

from __future__ import annotations

import argparse
import subprocess

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.harness.source_tree import source_tree


def run(options: argparse.Namespace) -> int:
    """Run the schedules; 0 if every invariant held."""
    program = source_tree() / ".dev" / "build" / "pqc_tunnel" / "pqc_simulate"
    if not program.is_file():
        raise RunFault("the simulator isn't built: run it through './dev bench'")
    words = ["--schedules", str(options.schedules)]
    words += ["--seed", str(options.seed), "--steps", str(options.steps)]
    words += ["--suites", ",".join(options.suites)] if options.suites else []
    words += ["--links", str(options.links)] if options.links > 1 else []
    words += [f"--{name}" for name in ("adversary", "fleet") if getattr(options, name)]
    return subprocess.run([str(program), *words], check=False).returncode
