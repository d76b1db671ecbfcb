# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Diagnostics of a node: tasks that report, and an updater that publishes on /diagnostics."""

from __future__ import annotations

from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.node import Node

__all__ = ["DiagnosticStatusWrapper", "Updater"]


class DiagnosticStatusWrapper(DiagnosticStatus):
    """A DiagnosticStatus. Levels are the message's own constants, which are single bytes."""

    def summary(self, level: bytes, message: str) -> None:
        self.level = level
        self.message = message

    def add(self, key: str, val: str) -> None:
        self.values.append(KeyValue(key=key, value=val))


class Updater:
    """Runs its tasks once a period and publishes their reports on /diagnostics."""

    def __init__(self, node: Node, period: float = 1.0) -> None:
        """`period` is in seconds; the parameter `diagnostic_updater.period` overrides it."""
        self._node = node
        self._hwid = ""
        self._warned_of_hwid = False
        self._tasks: list[
            tuple[str, Callable[[DiagnosticStatusWrapper], DiagnosticStatusWrapper]]
        ] = []
        self._publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 1)
        period = float(_parameter(node, "diagnostic_updater.period", period))
        full_name = _parameter(node, "diagnostic_updater.use_fqn", False)
        self._node_name = node.get_fully_qualified_name() if full_name else node.get_name()
        self._timer = node.create_timer(period, self._update)

    def add(
        self, name: str, fn: Callable[[DiagnosticStatusWrapper], DiagnosticStatusWrapper]
    ) -> None:
        """Add a function that fills in a status and returns it."""
        self._tasks.append((name, fn))
        status = DiagnosticStatusWrapper(name=name)
        status.summary(DiagnosticStatus.OK, "Node starting up")
        self._publish([status])

    def setHardwareID(self, hwid: str) -> None:
        """Set the id that every status carries."""
        self._hwid = hwid

    def _update(self) -> None:
        statuses = []
        for name, function in self._tasks:
            status = DiagnosticStatusWrapper(name=name, hardware_id=self._hwid)
            status.summary(DiagnosticStatus.ERROR, "No message was set")
            statuses.append(function(status))
        all_ok = all(status.level == DiagnosticStatus.OK for status in statuses)
        if all_ok and not self._hwid and not self._warned_of_hwid:
            self._warned_of_hwid = True
            self._node.get_logger().warning(
                "diagnostic_updater: no hardware id was set; where there is none, set it to 'none'."
            )
        self._publish(statuses)

    def _publish(self, statuses: list[DiagnosticStatusWrapper]) -> None:
        array = DiagnosticArray()
        array.header.stamp = self._node.get_clock().now().to_msg()
        array.status = [
            DiagnosticStatus(
                level=status.level,
                name=f"{self._node_name}: {status.name}",
                message=status.message,
                hardware_id=status.hardware_id,
                values=status.values,
            )
            for status in statuses
        ]
        self._publisher.publish(array)


def _parameter(node: Node, name: str, default: object) -> object:
    if not node.has_parameter(name):
        node.declare_parameter(name, default)
    return node.get_parameter(name).value
