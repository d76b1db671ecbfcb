# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench simulate`: the simulator of pqc_tunnel's tests, with a part of the seeds per core."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import die_with_parent

from pqc_bench.harness.source_tree import source_tree

# It is built with the tests and never installed.
_TARGETS = ("pqc_simulate", "pqc_simulate_mistakes")


def run(options: argparse.Namespace) -> int:
    """Run the schedules; 0 if every invariant held."""
    given = ["--steps", str(options.steps)]
    given += ["--suites", ",".join(options.suites)] if options.suites else []
    given += ["--links", str(options.links)] if options.links > 1 else []
    given += [f"--{name}" for name in ("adversary", "fleet") if getattr(options, name)]
    return simulate(_build(source_tree()), options.schedules, options.seed, given)


def simulate(program: Path, schedules: int, seed: int, given: Sequence[str]) -> int:
    """Run schedules in a process for each core; return the largest exit code.

    `given` are options of the program for every schedule. Each process prints its own violations
    and counts.
    """
    running = [
        subprocess.Popen(
            [str(program), "--schedules", str(count), "--seed", str(first), *given],
            preexec_fn=die_with_parent,
        )
        for count, first in shares(schedules, seed, os.cpu_count() or 1)
    ]
    return max([process.wait() for process in running])


def shares(schedules: int, seed: int, processes: int) -> list[tuple[int, int]]:
    """Return the number of schedules and the first seed of each process, none without schedules."""
    ends = [schedules * i // processes for i in range(processes + 1)]
    return [(end - begin, seed + begin) for begin, end in pairwise(ends) if end > begin]


def _build(source: Path) -> Path:
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
