# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The lock of a run's folder: one process at a time works on a run."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault

_LOCK = "lock"


@contextlib.contextmanager
def run_lock(folder: Path) -> Iterator[None]:
    """Hold the lock, which ends with this process; RunFault if another process holds it."""
    with (folder / _LOCK).open("a+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            holder = file.read().strip() or "another"
            raise RunFault(
                f"process {holder} is running the matrix in '{folder}': wait until it has ended"
            ) from error
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield
