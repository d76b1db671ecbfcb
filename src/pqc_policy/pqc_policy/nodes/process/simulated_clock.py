# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reports a node whose `use_sim_time` is true while no /clock arrives: it would wait in silence."""

from __future__ import annotations

from collections.abc import Sequence

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node

PATIENCE_S = 2.0
_SENTENCE = (
    "use_sim_time is true, but no /clock arrives: this node waits for it and publishes nothing. "
    "The tunnel's datagrams and handshakes don't depend on it."
)


class ClockWatch:
    """Warns once, and on /diagnostics until the clock starts."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._seconds = dict.fromkeys(nodes, 0.0)
        self._publishers = {
            node: node.create_publisher(DiagnosticArray, "/diagnostics", 1) for node in nodes
        }

    def look(self) -> None:
        """Look at the clocks; called once a second of real time."""
        for node, seconds in self._seconds.items():
            simulated = node.get_parameter("use_sim_time").value
            waits = simulated and node.get_clock().now().nanoseconds == 0
            self._seconds[node] = seconds + 1.0 if waits else 0.0
            if waits and seconds + 1.0 >= PATIENCE_S:
                self._report(node, first=seconds + 1.0 == PATIENCE_S)

    def _report(self, node: Node, *, first: bool) -> None:
        if first:
            node.get_logger().warning(_SENTENCE)
        name = f"{node.get_name()}: clock"
        status = DiagnosticStatus(level=DiagnosticStatus.WARN, name=name, message=_SENTENCE)
        status.hardware_id = node.get_fully_qualified_name()
        # The stamp stays 0: there is no time.
        self._publishers[node].publish(DiagnosticArray(status=[status]))
