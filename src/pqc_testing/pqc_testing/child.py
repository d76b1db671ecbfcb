# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Child processes that never outlive their parent."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import subprocess
from pathlib import Path

_PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Interrupt this process when its parent ends; for use between fork and exec."""
    # A shell starts jobs in the background with the interrupt ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)


def die_with_parent() -> None:
    """Kill this process when its parent ends; for use between fork and exec."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def stop(process: subprocess.Popen[bytes] | subprocess.Popen[str], seconds: float = 10.0) -> None:
    """Interrupt a process, and kill it if it doesn't end in time; `seconds` is the limit."""
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
    """Return the name of a process, at most 15 characters; empty if it has ended."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    return ""
