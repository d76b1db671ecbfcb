# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Calls functions periodically in a thread of its own.

Waking the executor ten times a second would take more time than the functions themselves.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from rclpy.node import Node


class Sampler:
    """Calls each of several functions once in its period (s), by the monotonic clock."""

    def __init__(self, node: Node, jobs: Sequence[tuple[float, Callable[[], None]]]) -> None:
        self._node = node
        self._jobs = tuple(jobs)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sampler", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether the thread is running."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Stop the thread and wait for its end."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        due_s = [time.monotonic()] * len(self._jobs)
        while not self._stop.is_set():
            for index, (period_s, job) in enumerate(self._jobs):
                now_s = time.monotonic()
                if now_s < due_s[index]:
                    continue
                # Calls that were missed during a stall are skipped.
                due_s[index] = max(due_s[index] + period_s, now_s + 0.5 * period_s)
                try:
                    job()
                except Exception:
                    if self._stop.is_set() or not self._node.context.ok():
                        return  # the node is being stopped
                    raise
            self._stop.wait(max(min(due_s) - time.monotonic(), 0.0))
