# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Lets the nodes of a process take what waits for them, all at the same moments.

Whatever wakes the executor costs a look at every entity that it waits for, in Python. So it waits
for few entities, and what may be some tenths of a second late is polled.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

from rclpy.clock import Clock, ClockType

from pqc_policy.nodes.process.simulated_clock import ClockWatch
from pqc_policy.nodes.process.steady_node import SteadyNode

_PER_S = 5


class Pulse:
    """Beats by real time, also while a simulated clock stands still."""

    def __init__(self, nodes: Sequence[SteadyNode]) -> None:
        """Begin with the nodes' executor."""
        self._nodes = nodes
        self._watch = ClockWatch(nodes)
        self._beats = cycle(range(_PER_S))
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = nodes[0].create_timer(1.0 / _PER_S, self._beat, clock=steady)

    def _beat(self) -> None:
        if next(self._beats) == 0:
            self._watch.look()
        for node in self._nodes:
            node.pulse()
