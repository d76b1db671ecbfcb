# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The machine and the commit of a measurement."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

_MACHINES = {"x86_64": "x86-64", "aarch64": "arm64"}


def machine_kind() -> str:
    """Return the number of cores, the architecture and whether it's a virtual machine."""
    cores = len(os.sched_getaffinity(0))
    architecture = _MACHINES.get(platform.machine(), platform.machine())
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    virtual = ", virtual machine" if " hypervisor" in flags else ""
    return f"{cores} core{'s' if cores != 1 else ''}, {architecture}{virtual}"


def commit() -> str:
    """Return the commit of the sources, with "+" if they were changed; empty if unknown."""
    source = os.environ.get("PQC_MAV_SOURCE", "")
    if not source:
        return ""

    def git(*words: str) -> str:
        run = subprocess.run(
            ["git", "-C", source, *words], capture_output=True, text=True, check=False
        )
        return run.stdout.strip() if run.returncode == 0 else ""

    head = git("rev-parse", "HEAD")
    return head + "+" if head and git("status", "--porcelain", "-uno") else head
