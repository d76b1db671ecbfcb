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

from rclpy.client import Client
from rclpy.executors import SingleThreadedExecutor, TimeoutException
from rclpy.service import Service

from pqc_policy.nodes.process.polled import EVENTS
from pqc_policy.nodes.process.simulated_clock import ClockWatch
from pqc_policy.nodes.process.steady_node import BEATS_PER_S, SteadyNode

_LOOKS = 20  # in each beat, where a simulated clock has to be followed
_PATIENT = 3  # beats for which everything may wait that is not due


class Pulse(SingleThreadedExecutor):
    """Beats by real time, also while a simulated clock stands still."""

    def __init__(self, nodes: Sequence[SteadyNode]) -> None:
        super().__init__()
        self._beating = tuple(nodes)
        for node in nodes:
            self.add_node(node)
        self._watch = ClockWatch(nodes)
        self._waited = 0
        self._events = cycle((True, False))

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
            if number == 0:
                self._watch.look()
            if number % looks == 0:
                self.beat()
            elif looks > 1:
                self._look(events=False)

    def beat(self) -> None:
        for node in self._beating:
            node.pulse()
        self._waited += 1
        if self._waited < _PATIENT and not any(node.due() for node in self._beating):
            return
        self._waited = 0
        self._look(events=next(self._events))
        for node in self._beating:
            node.poll()

    def _look(self, *, events: bool) -> None:
        """Execute the callbacks of all that is ready."""
        EVENTS.open = events
        with suppress(TimeoutException):
            while True:
                task, entity, _ = self.wait_for_ready_callbacks(timeout_sec=0.0)
                if isinstance(entity, Service | Client):
                    self._waited = _PATIENT  # who calls may call again soon
                task()
                task.result()
        for node in self._beating:
            node.run_timers()
