# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of a polled subscription wait until the node takes them, and wake nobody."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import rclpy
from pqc_policy.nodes.process.polled import PolledSubscription
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile
from ros_graph import PATIENCE_S, own_graph

from pqc_msgs.msg import HeldSuite


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    with own_graph(tmp_path):
        rclpy.init()
        node = Node("polling")
        try:
            yield node
        finally:
            node.destroy_node()
            rclpy.try_shutdown()


class Pair:
    """A publisher, and a polled subscription that knows it."""

    def __init__(self, node: Node, depth: int) -> None:
        self.taken: list[float] = []
        qos = QoSProfile(depth=depth)
        self.polled = PolledSubscription(node, HeldSuite, "held", self._take, qos)
        self._publisher = node.create_publisher(HeldSuite, "held", qos)
        self.wait_for(lambda: self._publisher.get_subscription_count() > 0)

    def publish(self, count: int) -> None:
        for number in range(count):
            self._publisher.publish(HeldSuite(seconds=float(number)))

    def wait_for(self, condition: Callable[[], bool]) -> None:
        end_s = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end_s
            time.sleep(0.01)

    def _take(self, message: HeldSuite) -> None:
        self.taken.append(message.seconds)

    def arrived(self, number: int) -> bool:
        self.polled.poll()
        return bool(self.taken) and self.taken[-1] == number


def test_messages_wait_until_they_are_taken_in_their_order(node: Node) -> None:
    pair = Pair(node, depth=20)
    executor = SingleThreadedExecutor()
    executor.add_node(node)
    pair.publish(10)
    for _ in range(10):
        executor.spin_once(timeout_sec=0.01)
    assert pair.taken == []

    pair.wait_for(lambda: pair.arrived(9))
    assert pair.taken == list(range(10))
    pair.polled.poll()
    assert len(pair.taken) == 10


def test_of_more_messages_than_fit_the_newest_are_kept(node: Node) -> None:
    pair = Pair(node, depth=4)
    pair.publish(50)
    pair.wait_for(lambda: pair.arrived(49))
    assert pair.taken[-4:] == [46, 47, 48, 49]
    assert pair.polled.topic_name == "/held"
