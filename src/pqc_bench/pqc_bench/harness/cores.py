# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Processes on cores of their own."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from pqc_testing.child import descendants


def pin(pid: int, cores: Collection[int]) -> None:
    """Let the threads of a process run on these cores only."""
    for task in Path(f"/proc/{pid}/task").glob("*"):
        with contextlib.suppress(ProcessLookupError):
            os.sched_setaffinity(int(task.name), cores)


@contextlib.contextmanager
def alone(pids: Collection[int]) -> Iterator[bool]:
    """Give these children a core, and the other cores to this process and all its other children.

    Yields False, and pins nothing, on a single core.
    """
    first, *others = cores = sorted(os.sched_getaffinity(0))
    if others:
        for pid in (os.getpid(), *descendants(os.getpid())):
            pin(pid, [first] if pid in pids else others)
    try:
        yield bool(others)
    finally:
        pin(os.getpid(), cores)
