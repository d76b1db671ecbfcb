# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Memory and CPU time of processes."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

_NS_PER_S = 1e9


def resident_kib(pid: int) -> int:
    """Return the resident memory of a process in KiB; 0 if it's gone."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    return 0


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of all living threads of a process in s, exact to the nanosecond."""
    return usage(pid)["cpu_ns"] / _NS_PER_S


def waited_seconds(pid: int) -> float:
    """Return how long the threads of a process were ready to run while others ran, in s."""
    return usage(pid)["wait_ns"] / _NS_PER_S


def usage(pid: int, without: str = "") -> dict[str, int]:
    """Return CPU and waiting time, context switches and threads; zeros if the process is gone.

    A thread of the name `without` does not count.
    """
    found = dict.fromkeys(("cpu_ns", "wait_ns", "voluntary", "involuntary", "threads"), 0)
    for task in Path(f"/proc/{pid}/task").glob("*"):
        with contextlib.suppress(OSError):
            if without and (task / "comm").read_text(encoding="utf-8").strip() == without:
                continue
            cpu, wait, _ = (task / "schedstat").read_text(encoding="ascii").split()
            found["cpu_ns"] += int(cpu)
            found["wait_ns"] += int(wait)
            found["threads"] += 1
            for line in (task / "status").read_text(encoding="utf-8").splitlines():
                if line.startswith("voluntary_ctxt_switches:"):
                    found["voluntary"] += int(line.split()[1])
                elif line.startswith("nonvoluntary_ctxt_switches:"):
                    found["involuntary"] += int(line.split()[1])
    return found


class CpuMeter:
    """The CPU that a process uses, in percent of one core, since the meter was made."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._began = time.monotonic()
        self._used_s = cpu_seconds(pid)

    def percent(self) -> float:
        passed = time.monotonic() - self._began
        return 100.0 * (cpu_seconds(self._pid) - self._used_s) / passed if passed > 0.0 else 0.0
