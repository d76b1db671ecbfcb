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
from rclpy.qos import QoSProfile, qos_profile_sensor_data
from ros_graph import PATIENCE_S, own_graph

from pqc_msgs.msg import HeldSuite


class Counting(SteadyNode):
    pulses = polls = 0
    urgent = False

    def due(self) -> bool:
        return self.urgent

    def pulse(self) -> None:
        self.pulses += 1

    def poll(self) -> None:
        self.polls += 1


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Counting]:
    with own_graph(tmp_path):
        rclpy.init()
        counting = Counting("counting")
        yield counting
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


def test_a_subscriber_that_asks_for_more_than_a_topic_offers_is_reported(
    node: Counting, capfd: pytest.CaptureFixture[str]
) -> None:
    pulse, end_s = Pulse([node]), time.monotonic() + PATIENCE_S
    node.create_publisher(HeldSuite, "offered", qos_profile_sensor_data)
    node.create_subscription(HeldSuite, "offered", print, QoSProfile(depth=1))
    while "requesting incompatible QoS" not in capfd.readouterr().err:
        pulse.beat()
        assert time.monotonic() < end_s
