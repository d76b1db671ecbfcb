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
from diagnostic_updater import (
    CompositeDiagnosticTask,
    DiagnosticStatusWrapper,
    FunctionDiagnosticTask,
    Updater,
)
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
    """A node, and what it says on /diagnostics."""

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
    assert updater.period == 0.05


def test_an_update_can_be_forced(ear: Ear) -> None:
    updater = Updater(ear.node)
    updater.period = 1000.0
    assert ear.until(lambda: updater.publisher.get_subscription_count() == 1)
    updater.add("link", reporting(DiagnosticStatus.OK, "fine"))
    updater.force_update()
    ear.find("link", "Node starting up")
    ear.find("link", "fine")


def test_a_removed_task_reports_no_more(ear: Ear) -> None:
    updater = Updater(ear.node)
    updater.add("link", reporting(DiagnosticStatus.OK, "fine"))
    assert updater.removeByName("link")
    assert not updater.removeByName("link")
    assert ear.until(lambda: updater.publisher.get_subscription_count() == 1)
    updater.add("kept", reporting(DiagnosticStatus.OK, "fine"))
    updater.broadcast(DiagnosticStatus.STALE, "over")
    ear.find("kept", "over")


def test_a_composite_reports_the_worst_of_its_tasks(ear: Ear) -> None:
    composite = CompositeDiagnosticTask("both")
    composite.addTask(FunctionDiagnosticTask("a", reporting(DiagnosticStatus.OK, "fine")))
    composite.addTask(FunctionDiagnosticTask("b", reporting(DiagnosticStatus.ERROR, "broken")))
    updater = Updater(ear.node)
    updater.add(composite)
    assert ear.find("both", "broken").level == DiagnosticStatus.ERROR


def test_merging_keeps_the_worse_level_and_joins_troubles() -> None:
    status = DiagnosticStatusWrapper()
    status.summary(DiagnosticStatus.OK, "fine")
    status.mergeSummary(DiagnosticStatus.WARN, "slow")
    assert (status.level, status.message) == (DiagnosticStatus.WARN, "slow")
    status.mergeSummary(DiagnosticStatus.ERROR, "broken")
    assert (status.level, status.message) == (DiagnosticStatus.ERROR, "slow; broken")
    status.clearSummary()
    assert (status.level, status.message) == (DiagnosticStatus.OK, "")
