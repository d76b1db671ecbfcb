# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The Python updater publishes what its tasks report."""

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


class Ear:
    """A node, and the statuses that it publishes."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.heard: list[DiagnosticStatus] = []
        self.subscription = node.create_subscription(
            DiagnosticArray, "/diagnostics", lambda array: self.heard.extend(array.status), 10
        )

    def until(self, done: Callable[[], bool]) -> bool:
        end = time.monotonic() + PATIENCE_S
        while not done() and time.monotonic() < end:
            rclpy.spin_once(self.node, timeout_sec=0.1)
        return done()

    def find(self, name: str, message: str) -> DiagnosticStatus:
        def found() -> list[DiagnosticStatus]:
            return [s for s in self.heard if (s.name, s.message) == (f"watched: {name}", message)]

        assert self.until(lambda: bool(found()))
        return found()[-1]


@pytest.fixture
def ear() -> Iterator[Ear]:
    with rclpy.init():
        node = rclpy.create_node(
            "watched", parameter_overrides=[Parameter("diagnostic_updater.period", value=0.05)]
        )
        yield Ear(node)
        node.destroy_node()


def test_a_task_reports_once_a_period_under_the_name_of_the_node(ear: Ear) -> None:
    updater = Updater(ear.node)
    updater.setHardwareID("unit 7")
    updater.add("link", reporting(DiagnosticStatus.WARN, "slow"))
    status = ear.find("link", "slow")
    assert status.level == DiagnosticStatus.WARN
    assert status.hardware_id == "unit 7"
    assert [(v.key, v.value) for v in status.values] == [("key", "value")]


def test_a_task_that_sets_nothing_is_an_error(ear: Ear) -> None:
    updater = Updater(ear.node)
    updater.add("silent", lambda status: status)
    assert ear.find("silent", "No message was set").level == DiagnosticStatus.ERROR
