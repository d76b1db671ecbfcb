# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A thread beside the executor, for what is done at fixed times and may block.

Waking the executor for it would take more time than most of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from rclpy.executors import Executor

Job = tuple[float, Callable[[], None]]  # its period in s of the monotonic clock
_END_S = 1.0
_SET_BY_S = 0.1  # more than a clock drifts from one look to the next


@contextmanager
def background(executor: Executor, jobs: Iterable[Job]) -> Iterator[None]:
    """Do jobs, each once in its period, while the executor spins; it raises what one raises."""
    ended = Event()
    every_job = (*jobs, (0.2, _clock_watch(executor)))

    def run() -> None:
        try:
            _do(every_job, ended)
        except Exception as error:
            if not ended.is_set() and executor.context.ok():
                executor.create_task(_raise, error)

    thread = Thread(target=run, name="background", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(_END_S)


def _do(jobs: Iterable[Job], ended: Event) -> None:
    due_s = {job: time.monotonic() for _, job in jobs}
    while not ended.is_set():
        for period_s, job in jobs:
            now_s = time.monotonic()
            if now_s >= due_s[job]:
                # Calls that were missed during a stall are skipped.
                due_s[job] = max(due_s[job] + period_s, now_s + 0.5 * period_s)
                job()
        ended.wait(max(min(due_s.values()) - time.monotonic(), 0.0))


def _clock_watch(executor: Executor) -> Callable[[], None]:
    """Return a job that wakes the executor when the system's clock is set.

    Fast DDS waits for times of that clock: after it is set back, timers would stand still until the
    old time comes again.
    """
    ahead_s = time.time() - time.monotonic()

    def look() -> None:
        nonlocal ahead_s
        before_s, ahead_s = ahead_s, time.time() - time.monotonic()
        if abs(ahead_s - before_s) > _SET_BY_S:
            executor.wake()

    return look


def _raise(error: Exception) -> None:
    raise error
