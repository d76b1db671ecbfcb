# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The nodes of a process take what waits at the same moments, and seldom."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import rclpy
from pqc_policy.nodes.process.pulse import Pulse
from pqc_policy.nodes.process.steady_node import SteadyNode
from rclpy.node import Node
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from ros_graph import PATIENCE_S, own_graph

from pqc_msgs.msg import HeldSuite
from pqc_msgs.srv import ExplainDecision


class Counting(SteadyNode):
    def __init__(self) -> None:
        super().__init__("counting")
        self.pulses = self.polls = self.calls = 0
        self.urgent = False
        self.create_service(ExplainDecision, "explain", self._answer)

    def due(self) -> bool:
        return self.urgent

    def pulse(self) -> None:
        self.pulses += 1

    def poll(self) -> None:
        super().poll()
        self.polls += 1

    def _answer(
        self, _: ExplainDecision.Request, response: ExplainDecision.Response
    ) -> ExplainDecision.Response:
        self.calls += 1
        return response


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Counting]:
    with own_graph(tmp_path):
        rclpy.init()
        counting = Counting()
        try:
            yield counting
        finally:
            counting.destroy_node()
            rclpy.try_shutdown()


def test_what_is_not_due_waits_for_three_beats(node: Counting) -> None:
    pulse = Pulse([node])
    for _ in range(12):
        pulse.beat()
    assert (node.pulses, node.polls) == (12, 4)
    node.urgent = True
    for _ in range(5):
        pulse.beat()
    assert (node.pulses, node.polls) == (17, 9)


def test_a_call_waits_for_a_beat_at_which_something_is_taken(node: Counting) -> None:
    pulse, caller = Pulse([node]), Node("caller")
    try:
        client = caller.create_client(ExplainDecision, "explain")
        assert client.wait_for_service(PATIENCE_S)
        client.call_async(ExplainDecision.Request())
        end_s = time.monotonic() + PATIENCE_S
        while not node.calls:
            polls = node.polls
            pulse.beat()
            assert time.monotonic() < end_s
        assert node.polls == polls + 1
    finally:
        caller.destroy_node()


def test_a_subscriber_that_asks_for_more_than_a_topic_offers_is_reported(
    node: Counting, capfd: pytest.CaptureFixture[str]
) -> None:
    pulse, other = Pulse([node]), Node("other")
    try:
        node.create_publisher(HeldSuite, "offered", qos_profile_sensor_data)
        other.create_subscription(HeldSuite, "offered", print, QoSProfile(depth=1))
        end_s = time.monotonic() + PATIENCE_S
        while "requesting incompatible QoS" not in capfd.readouterr().err:
            pulse.beat()
            assert time.monotonic() < end_s
    finally:
        other.destroy_node()
