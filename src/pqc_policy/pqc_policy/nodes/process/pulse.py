# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Lets the nodes of a process take what waits for them, all at the same moments.

Whatever wakes an executor of rclpy costs a look at every entity that it waits for, in Python. So
this one sleeps in between, and never waits in the middleware: Fast DDS waits for times of the
system's clock, and after that is set back would wait until the old time comes again.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import cycle

from rclpy.executors import SingleThreadedExecutor, TimeoutException

from pqc_policy.nodes.process.polled import EVENTS
from pqc_policy.nodes.process.simulated_clock import ClockWatch
from pqc_policy.nodes.process.steady_node import BEATS_PER_S, SteadyNode

_LOOKS = 20  # in each beat, where a simulated clock has to be followed


class Pulse(SingleThreadedExecutor):
    """Beats by real time, also while a simulated clock stands still."""

    def __init__(self, nodes: Sequence[SteadyNode]) -> None:
        super().__init__()
        self._beating = tuple(nodes)
        for node in nodes:
            self.add_node(node)
        self._watch = ClockWatch(nodes)

    def run(self) -> None:
        """Beat until the context is shut down; raises what a callback raises."""
        looks = _LOOKS if any(node.simulated for node in self._beating) else 1
        pause_s = 1.0 / BEATS_PER_S / looks
        next_s = time.monotonic()
        for number in cycle(range(BEATS_PER_S * looks)):
            # Looks that were missed during a stall are skipped.
            next_s = max(next_s + pause_s, time.monotonic())
            time.sleep(max(next_s - time.monotonic(), 0.0))
            if not self.context.ok():
                return
            self._look(events=number == 0)
            if number % looks == 0:
                self._beat()
            if number == 0:
                self._watch.look()

    def _look(self, *, events: bool) -> None:
        """Execute the callbacks of all that is ready."""
        EVENTS.open = events
        with suppress(TimeoutException):
            while True:
                task, *_ = self.wait_for_ready_callbacks(timeout_sec=0.0)
                task()
                task.result()

    def _beat(self) -> None:
        for node in self._beating:
            node.pulse()
