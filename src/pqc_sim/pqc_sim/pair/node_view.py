# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Both tunnel nodes over ROS: their status, and the services of the drone's node."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Self

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions

from pqc_msgs.msg import TunnelStatus
from pqc_msgs.srv import ListSuites, Rekey
from pqc_sim.pair.tunnel_launch import NAMESPACES

LATCHED = QoSProfile(
    depth=1, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL
)
EVENTS = QoSProfile(depth=50, reliability=ReliabilityPolicy.RELIABLE)
_DISCOVERY_S = 1.5
_UP = (TunnelStatus.STATE_ESTABLISHED, TunnelStatus.STATE_REKEYING)


class NodeView:
    """A node that watches both ends, "drone" and "gcs"; use it as a context manager.

    Nothing happens in the background: messages are handled in the calls of `spin_once`.
    """

    def __init__(self, name: str) -> None:
        """Join the ROS graph under a name."""
        rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
        self._node = Node(name)
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self._node)
        self.status: dict[str, TunnelStatus] = {}
        for end in NAMESPACES:
            self._watch(end, TunnelStatus, "status", self._on_status, LATCHED)
        drone = NAMESPACES["drone"]
        self._rekey = self._node.create_client(Rekey, f"/{drone}/rekey")
        self._list = self._node.create_client(ListSuites, f"/{drone}/list_suites")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._executor.shutdown()
        self._node.destroy_node()
        rclpy.try_shutdown()

    @property
    def established(self) -> bool:
        """Return whether both ends report an established tunnel."""
        return all(end in self.status and is_up(self.status[end]) for end in NAMESPACES)

    def spin_once(self, seconds: float) -> None:
        """Handle the messages that have arrived, after waiting at most this long for one."""
        self._executor.spin_once(timeout_sec=seconds)

    def occupied(self) -> str | None:
        """Return the status topic of a tunnel in the graph, after some time to discover it."""
        topics = [f"/{namespace}/status" for namespace in NAMESPACES.values()]
        deadline = time.monotonic() + _DISCOVERY_S
        while time.monotonic() < deadline:
            self.spin_once(0.05)
            for topic in topics:
                if self._node.count_publishers(topic):
                    return topic
        return None

    def subscribe(self, kind: type, topic: str, take: Callable[[Any], None], qos: Any) -> None:
        """Pass the messages of a topic to a function, in the calls of `spin_once`."""
        self._node.create_subscription(kind, topic, take, qos)

    def _on_status(self, end: str, status: TunnelStatus) -> None:
        self.status[end] = status

    def _watch(
        self,
        end: str,
        kind: type,
        topic: str,
        take: Callable[[str, Any], None],
        qos: QoSProfile,
    ) -> None:
        self._node.create_subscription(
            kind, f"/{NAMESPACES[end]}/{topic}", lambda message: take(end, message), qos
        )


def is_up(status: TunnelStatus) -> bool:
    """Return whether an end has keys that it sends and receives under."""
    return status.state in _UP
