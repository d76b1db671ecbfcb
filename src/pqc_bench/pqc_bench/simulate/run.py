# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench simulate`: the simulator of pqc_tunnel's tests, with a part of the seeds per core."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import write_summary
from pqc_testing.child import die_with_parent

from pqc_bench.harness.source_tree import source_tree

# It is built with the tests and never installed.
_TARGETS = ("pqc_simulate", "pqc_simulate_mistakes")
_NO_VIOLATION, _VIOLATION = 0, 1


def run(options: argparse.Namespace) -> int:
    """Run the schedules; 0 if every invariant held."""
    program = _build(source_tree())
    given = ["--steps", str(options.steps)]
    given += ["--suites", ",".join(options.suites)] if options.suites else []
    given += ["--links", str(options.links)] if options.links > 1 else []
    given += [f"--{name}" for name in ("adversary", "fleet") if getattr(options, name)]
    result = simulate(program, options.schedules, options.seed, given)
    print("\n".join(_lines(result)))
    if options.out:
        write_summary(options.out, result)
    return 1 if result["violations"] else 0


def simulate(program: Path, schedules: int, seed: int, given: Sequence[str]) -> dict[str, Any]:
    """Run schedules in a process for each core; return the sum of their reports.

    `given` are options of the program for every schedule. The last events before each violation are
    printed.
    """
    began = time.monotonic()
    reports = []
    with tempfile.TemporaryDirectory() as folder:
        running = []
        for count, first in shares(schedules, seed, os.cpu_count() or 1):
            report = Path(folder) / f"{first}.json"
            own = ["--schedules", str(count), "--seed", str(first), "--json", str(report)]
            process = subprocess.Popen(
                [str(program), *own, *given],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                preexec_fn=die_with_parent,
            )
            running.append((process, report))
        for process, report in running:
            text, _ = process.communicate()
            if process.returncode not in (_NO_VIOLATION, _VIOLATION):
                raise RunFault(text.strip().removeprefix("pqc_simulate: "))
            if process.returncode == _VIOLATION:
                print(text, end="")
            reports.append(json.loads(report.read_text(encoding="utf-8")))
    first_report, *others = reports
    for name in first_report:
        for other in others:
            first_report[name] += other[name]
    return {**first_report, "wall_s": time.monotonic() - began}


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


def _lines(result: dict[str, Any]) -> list[str]:
    violations = result["violations"]
    return [
        *(f"VIOLATED  {one['invariant']}: {one['text']}" for one in violations),
        *(f"  replay: {one['replay']}" for one in violations),
        f"{result['schedules']} schedules, {result['steps']} steps, "
        f"{result['simulated_s'] / 3600:.1f} h simulated: {result['rekeys']} rekeys "
        f"({result['failed_rekeys']} failed), {result['crashes']} crashes, "
        f"{result['silences']} silences, {result['cuts']} cuts, {result['datagrams']} datagrams; "
        f"{len(violations)} violations; {result['wall_s']:.0f} s "
        f"({result['schedules'] / max(result['wall_s'], 0.001):.1f} schedules/s)",
    ]
