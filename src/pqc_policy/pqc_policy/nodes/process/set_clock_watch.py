# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Wakes an executor when the system's clock is set.

Fast DDS waits for times of that clock: after it is set back, timers would stand still until the old
time comes again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from rclpy.executors import Executor

_LOOK_S = 0.25
_SET_BY_S = 0.1  # more than a clock drifts meanwhile


def _ahead_s() -> float:
    return time.time() - time.monotonic()


@contextmanager
def awake_when_the_clock_is_set(executor: Executor) -> Iterator[None]:
    """Look after the clock while the executor spins."""
    ended = Event()

    def watch() -> None:
        ahead_s = _ahead_s()
        while not ended.wait(_LOOK_S):
            before_s, ahead_s = ahead_s, _ahead_s()
            if abs(ahead_s - before_s) > _SET_BY_S:
                executor.wake()

    thread = Thread(target=watch, name="clock", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
