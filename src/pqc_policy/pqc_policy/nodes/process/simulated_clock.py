# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reports a node whose `use_sim_time` is true while no /clock arrives: it would wait in silence."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

PATIENCE_S = 2.0
_SENTENCE = (
    "use_sim_time is true, but no /clock arrives: this node waits for it and publishes nothing. "
    "The tunnel's datagrams and handshakes don't depend on it."
)


class ClockWatch:
    """Warns once, and on /diagnostics until the clock starts; its timer runs by real time."""

    def __init__(self, node: Node) -> None:
        """Watch the clock of a node."""
        self._node = node
        self._seconds = 0.0
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 1)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._timer = node.create_timer(1.0, self._look, clock=steady)

    def _look(self) -> None:
        simulated = self._node.get_parameter("use_sim_time").value
        if not simulated or self._node.get_clock().now().nanoseconds > 0:
            self._seconds = 0.0
            return
        self._seconds += 1.0
        if self._seconds == PATIENCE_S:
            self._node.get_logger().warning(_SENTENCE)
        if self._seconds >= PATIENCE_S:
            name = f"{self._node.get_name()}: clock"
            status = DiagnosticStatus(level=DiagnosticStatus.WARN, name=name, message=_SENTENCE)
            status.hardware_id = self._node.get_fully_qualified_name()
            # The stamp stays 0: there is no time.
            self._publisher.publish(DiagnosticArray(status=[status]))
