# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that the Python updater publishes the reports of its tasks."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

import pytest

os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "OFF"

import rclpy
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from diagnostic_updater import DiagnosticStatusWrapper, Updater
from rclpy.node import Node
from rclpy.parameter import Parameter

PATIENCE_S = 60.0


def reporting(level: bytes, message: str) -> Callable[..., DiagnosticStatusWrapper]:
    def report(status: DiagnosticStatusWrapper) -> DiagnosticStatusWrapper:
        status.summary(level, message)
        status.add("key", "value")
        return status

    return report


class Listener:
    """A node, and the statuses that it publishes."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.received: list[DiagnosticStatus] = []
        self.subscription = node.create_subscription(
            DiagnosticArray, "/diagnostics", lambda array: self.received.extend(array.status), 10
        )

    def until(self, done: Callable[[], bool]) -> bool:
        end = time.monotonic() + PATIENCE_S
        while not done() and time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.1)
        return done()

    def find(self, name: str, message: str) -> DiagnosticStatus:
        def found() -> list[DiagnosticStatus]:
            wanted = (f"watched: {name}", message)
            return [s for s in self.received if (s.name, s.message) == wanted]

        assert self.until(lambda: bool(found()))
        return found()[-1]


@pytest.fixture
def listener() -> Iterator[Listener]:
    with rclpy.init():
        node = rclpy.create_node(
            "watched", parameter_overrides=[Parameter("diagnostic_updater.period", value=0.05)]
        )
        yield Listener(node)
        node.destroy_node()


def test_a_task_reports_once_a_period_under_the_name_of_the_node(listener: Listener) -> None:
    updater = Updater(listener.node)
    updater.setHardwareID("unit 7")
    updater.add("link", reporting(DiagnosticStatus.WARN, "slow"))
    status = listener.find("link", "slow")
    assert status.level == DiagnosticStatus.WARN
    assert status.hardware_id == "unit 7"
    assert [(v.key, v.value) for v in status.values] == [("key", "value")]


def test_a_task_that_sets_nothing_is_an_error(listener: Listener) -> None:
    updater = Updater(listener.node)
    updater.add("silent", lambda status: status)
    assert listener.find("silent", "No message was set").level == DiagnosticStatus.ERROR
