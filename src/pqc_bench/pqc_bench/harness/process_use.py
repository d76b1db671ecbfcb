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
    return _scheduled_ns(pid, 0) / _NS_PER_S


def waited_seconds(pid: int) -> float:
    """Return how long the threads of a process were ready to run while others ran, in s."""
    return _scheduled_ns(pid, 1) / _NS_PER_S


def _scheduled_ns(pid: int, field: int) -> int:
    total = 0
    for task in Path(f"/proc/{pid}/task").glob("*"):
        with contextlib.suppress(OSError):
            total += int((task / "schedstat").read_text(encoding="ascii").split()[field])
    return total


class CpuMeter:
    """The CPU that a process uses, in percent of one core, since the meter was made."""

    def __init__(self, pid: int) -> None:
        """Begin now."""
        self._pid = pid
        self._began = time.monotonic()
        self._used_s = cpu_seconds(pid)

    def percent(self) -> float:
        """Return the use so far."""
        passed = time.monotonic() - self._began
        return 100.0 * (cpu_seconds(self._pid) - self._used_s) / passed if passed > 0.0 else 0.0
