# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Busy neighbours: processes that each use a core all the time."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Self

from pqc_testing.child import die_with_parent


class Neighbours:
    """Runs one busy process per core; a context manager."""

    def __init__(self, count: int | None = None) -> None:
        """Take the number of processes; by default one per core."""
        self._count = len(os.sched_getaffinity(0)) if count is None else count
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        self._processes = [
            subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=die_with_parent)
            for _ in range(self._count)
        ]
        return self

    def signal(self, number: int) -> None:
        """Send a signal to each, such as SIGSTOP for a pause."""
        for process in self._processes:
            process.send_signal(number)

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
