# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Child processes that never outlive their parent, and what they use of the machine."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import subprocess
import time
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_NS_PER_S = 1e9


def end_with_parent() -> None:
    """Interrupt this process when its parent ends; for use between fork and exec."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)


def die_with_parent() -> None:
    """Kill this process when its parent ends; for use between fork and exec."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def stop(process: subprocess.Popen[bytes] | subprocess.Popen[str], seconds: float = 10.0) -> None:
    """Interrupt a process, and kill it if that doesn't end it in time."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.SIGINT)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def descendants(pid: int) -> list[int]:
    """Return the process ids of all children, their children and so on."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        with contextlib.suppress(OSError):
            for child in (task / "children").read_text(encoding="ascii").split():
                found += [int(child), *descendants(int(child))]
    return found


def name_of(pid: int) -> str:
    """Return the name of a process, at most 15 characters; empty if it's gone."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    return ""


def resident_kib(pid: int) -> int:
    """Return the resident memory of a process in KiB; 0 if it's gone."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    return 0


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of all living threads of a process in s, exact to the nanosecond."""
    total = 0
    for task in Path(f"/proc/{pid}/task").glob("*"):
        with contextlib.suppress(OSError):
            total += int((task / "schedstat").read_text(encoding="ascii").split()[0])
    return total / _NS_PER_S


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
