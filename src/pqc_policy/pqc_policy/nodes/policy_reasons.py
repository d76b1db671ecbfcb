# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Why an input is missing, as far as the policy node can know."""

from __future__ import annotations

from collections.abc import Mapping

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.node import Node

from pqc_policy.nodes.absence import reasons_in
from pqc_policy.policy import telemetry

_TOPICS = {
    "battery": telemetry.BATTERY,
    "thermal": telemetry.THERMAL,
    "armed": telemetry.VEHICLE,
}


class Reasons:
    """Listens to the sensing node of the same namespace; nothing is decided from what it says."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._of_sensing: Mapping[str, str] = {}
        node.create_subscription(DiagnosticArray, "/diagnostics", self._hear, 10)

    def of(self, name: str) -> str:
        """Return why an input is missing, as a sentence without its end."""
        topic = self._node.resolve_topic_name(_TOPICS[name])
        if not self._node.count_publishers(topic):
            return f"Input {name} is missing, because nothing publishes {topic}"
        return self._of_sensing.get(
            name, f"Input {name} is missing, because nothing usable comes on {topic}"
        )

    def _hear(self, array: DiagnosticArray) -> None:
        reasons = reasons_in(array, self._node.get_namespace())
        if reasons is not None:
            self._of_sensing = reasons
