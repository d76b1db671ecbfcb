# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A ROS node for tests: records messages and waits for conditions."""

from __future__ import annotations

import time
import unittest
from collections.abc import Callable
from typing import Any

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

LATCHED = QoSProfile(
    depth=1,
    reliability=ReliabilityPolicy.RELIABLE,
    durability=DurabilityPolicy.TRANSIENT_LOCAL,
)
RELIABLE = QoSProfile(depth=50, reliability=ReliabilityPolicy.RELIABLE)
PATIENCE_S = 60.0  # how long anything may take before a test gives up


class GraphClient:
    """Subscribes and calls; a wait that takes too long ends with an AssertionError."""

    def __init__(self) -> None:
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self.node = rclpy.create_node("test_client", context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self._context)

    def listen(self, message_type: Any, topic: str, qos: QoSProfile = RELIABLE) -> list[Any]:
        """Return a list to which every message of the topic is appended."""
        heard: list[Any] = []
        self.node.create_subscription(message_type, topic, heard.append, qos)
        return heard

    def wait_for(self, condition: Callable[[], Any], what: str) -> Any:
        """Spin until the condition holds; return what it returned."""
        deadline = time.monotonic() + PATIENCE_S
        while not (result := condition()):
            if time.monotonic() > deadline:
                raise AssertionError(f"waited in vain for {what}")
            self._executor.spin_once(timeout_sec=0.1)
        return result

    def comes(self, condition: Callable[[], Any], within_s: float = 2.0) -> bool:
        """Spin until the condition holds; return whether it did in time."""
        deadline = time.monotonic() + within_s
        while not condition():
            if time.monotonic() > deadline:
                return False
            self._executor.spin_once(timeout_sec=0.1)
        return True

    def start_call(self, service_type: Any, name: str, request: Any) -> Any:
        """Send a request once the service is there; return the future response."""
        client = self.node.create_client(service_type, name)
        self.wait_for(client.service_is_ready, f"the service {name}")
        return client.call_async(request)

    def call(self, service_type: Any, name: str, request: Any) -> Any:
        """Call a service and return its response."""
        future = self.start_call(service_type, name, request)
        self.wait_for(future.done, f"the answer of {name}")
        return future.result()


class GraphTestCase(unittest.TestCase):
    """Tests that share one client of the graph."""

    graph: GraphClient

    @classmethod
    def setUpClass(cls) -> None:
        cls.graph = GraphClient()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.graph.close()
