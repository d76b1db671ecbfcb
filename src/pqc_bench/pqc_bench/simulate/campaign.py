# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Divides the seeds among processes, one per core."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import die_with_parent

from pqc_bench.simulate.result import Result

_NO_VIOLATION = 0
_VIOLATION = 1


def shares(schedules: int, seed: int, processes: int) -> list[tuple[int, int]]:
    """Return the number of schedules and the first seed of each process, none without schedules."""
    parts = []
    for i in range(processes):
        count = schedules * (i + 1) // processes - schedules * i // processes
        if count > 0:
            parts.append((count, seed))
        seed += count
    return parts


def simulate(
    program: Path,
    schedules: int,
    seed: int,
    steps: int,
    suites: str,
    given: Sequence[str] = (),
) -> Result:
    """Run them all, printing the last events before each violation; blocks until all have ended.

    `given` are options of the program for what every schedule has.
    """
    result = Result()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        running = []
        for count, first in shares(schedules, seed, os.cpu_count() or 1):
            report = Path(folder) / f"{first}.json"
            command = [str(program), "--schedules", str(count), "--seed", str(first)]
            command += ["--steps", str(steps), "--json", str(report)]
            command += ["--suites", suites] if suites else []
            command += given
            process = subprocess.Popen(
                command,
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
            result.add(json.loads(report.read_text(encoding="utf-8")))
    result.wall_s = time.monotonic() - began
    return result
