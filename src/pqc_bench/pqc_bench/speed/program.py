# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`pqc_speed` as a child."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import end_with_parent

FORMAT = 1


def run_speed(
    program: Path,
    count: int = 200,
    seconds_cap: int = 0,
    patterns: Sequence[str] = (),
    show: bool = True,
) -> dict[str, Any]:
    """Run it and return its report; `show` passes its progress on to our standard error.

    Raises RunFault if it can't run, or if a primitive gave a wrong result.
    """
    command = [str(program), "--count", str(count), "--seconds-cap", str(seconds_cap)]
    for pattern in patterns:
        command += ["--only", pattern]
    if not show:
        command.append("--quiet")
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=None if show else subprocess.PIPE,
        text=True,
        check=False,
        preexec_fn=end_with_parent,
    )
    report = _read(done.stdout)
    if report is None:
        words = (done.stderr or "").strip().splitlines()
        raise RunFault(words[-1] if words else f"pqc_speed failed (exit code {done.returncode})")
    if report["operations_failed"]:
        wrong = ", ".join(_wrong(report))
        raise RunFault(f"pqc_speed got {report['operations_failed']} wrong results: {wrong}")
    return report


def _read(text: str) -> dict[str, Any] | None:
    try:
        report = json.loads(text)
    except json.JSONDecodeError:
        return None
    if not isinstance(report, dict) or report.get("format") != FORMAT:
        raise RunFault("this pqc_speed writes another format: build the workspace again")
    return report


def _wrong(report: dict[str, Any]) -> list[str]:
    return [
        f"{subject['algorithm']} {operation['operation']}"
        for subjects in ("kems", "signatures", "aeads")
        for subject in report[subjects]
        for operation in subject["operations"]
        if operation["failed"]
    ]
