# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs spin: compiles a model to C and to a program, which searches all states."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.formal.expectations import HOLDS, Outcome, SpinRun

_MODELS_SECONDS = 900
_COMPILE = ("cc", "-w", "-DMEMLIM=2048")
# Fair scheduling of this many processes needs more room than spin gives by itself.
_LIVENESS = ("-O1", "-DNFAIR=7")
_SAFETY = ("-O0", "-DSAFETY")  # the compiler would take longer than these searches


def require_spin() -> None:
    """Raise RunFault if a program is missing."""
    for tool in ("spin", "cc"):
        if shutil.which(tool) is None:
            raise RunFault(f"'{tool}' is not installed: run './dev setup'")


def run_spin(run: SpinRun, models: Path, scratch: Path) -> Outcome:
    """Verify one run of a model; its files go to `scratch`."""
    folder = scratch / run.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    defines = [f"-D{define}" for define in run.define]
    if run.property:
        defines.append("-DLIVENESS")
    model = (models / run.model).resolve()
    _tool(["spin", *defines, "-a", str(model)], folder)
    flags = _LIVENESS if run.property else _SAFETY
    _tool([*_COMPILE, *flags, "-o", "pan", "pan.c"], folder)
    how = ["-a", "-f", "-N", run.property] if run.property else []
    output = _tool(["./pan", "-E", "-m1000000", *how], folder)
    (folder / "output.txt").write_text(output)
    verdict = _verdict(output, run.property)
    return Outcome(verdict, "" if verdict == run.expected else f"expected: {run.expected}")


def _tool(command: list[str], folder: Path) -> str:
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=_MODELS_SECONDS
        )
    except subprocess.TimeoutExpired:
        return f"{command[0]} took longer than {_MODELS_SECONDS} s"
    if done.returncode != 0 and command[0] != "./pan":
        lines = (done.stdout + done.stderr).strip().splitlines()
        raise RunFault(f"{command[0]} rejects {folder.name}: {lines[-1] if lines else '?'}")
    return done.stdout + done.stderr


def _verdict(output: str, formula: str) -> str:
    """Return the assertion or formula that is violated; HOLDS only after a complete search."""
    found = re.search(r"assertion violated (.+?) \(at depth", output)
    if found:
        return found.group(1)
    if "acceptance cycle" in output:
        return formula
    whole = re.search(r"errors: 0$", output, re.MULTILINE) and "Search not completed" not in output
    if whole and "too small" not in output and "out of memory" not in output:
        return HOLDS
    lines = [line for line in output.splitlines() if line.strip()]
    return f"no verdict ({lines[0].strip() if lines else 'no output'})"
