# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tasks that report on a node, and the updater that runs them."""

from __future__ import annotations

import threading
from collections.abc import Callable

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rclpy.node import Node

from ._status import DiagnosticStatusWrapper

TaskFunction = Callable[[DiagnosticStatusWrapper], DiagnosticStatusWrapper]


class DiagnosticTask:
    """Something that reports on one aspect of a node."""

    def __init__(self, name: str) -> None:
        self.name = name

    def getName(self) -> str:
        return self.name

    def run(self, stat: DiagnosticStatusWrapper) -> DiagnosticStatusWrapper:
        """Fill in the status and return it."""
        return stat


class FunctionDiagnosticTask(DiagnosticTask):
    """A task made of a name and a function."""

    def __init__(self, name: str, fn: TaskFunction) -> None:
        super().__init__(name)
        self.fn = fn

    def run(self, stat: DiagnosticStatusWrapper) -> DiagnosticStatusWrapper:
        return self.fn(stat)


class CompositeDiagnosticTask(DiagnosticTask):
    """Several tasks that report as one, with the worst of their levels."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.tasks: list[DiagnosticTask] = []

    def addTask(self, t: DiagnosticTask) -> None:
        self.tasks.append(t)

    def run(self, stat: DiagnosticStatusWrapper) -> DiagnosticStatusWrapper:
        original = DiagnosticStatusWrapper()
        original.summary(stat)
        combined = DiagnosticStatusWrapper()
        for task in self.tasks:
            stat.summary(original)
            stat = task.run(stat)
            combined.mergeSummary(stat)
        stat.summary(combined)
        return stat


class Updater:
    """Runs its tasks once a period and publishes what they report on /diagnostics."""

    def __init__(self, node: Node, period: float = 1.0) -> None:
        """`period` is in seconds; the parameter `diagnostic_updater.period` goes before it."""
        self.node = node
        self.verbose = False
        self.hwid = ""
        self.tasks: list[FunctionDiagnosticTask] = []
        self.lock = threading.Lock()
        self._warned_of_hwid = False
        self.publisher = node.create_publisher(DiagnosticArray, "/diagnostics", 1)
        self._period = float(_parameter(node, "diagnostic_updater.period", period))
        full_name = _parameter(node, "diagnostic_updater.use_fqn", False)
        self.node_name = node.get_fully_qualified_name() if full_name else node.get_name()
        self.timer = node.create_timer(self._period, self.update)

    def add(self, *args: object) -> None:
        """Add a task, or a name and a function that fills in a status and returns it."""
        if len(args) == 1:
            task = FunctionDiagnosticTask(args[0].getName(), args[0].run)
        else:
            name, function = args
            task = FunctionDiagnosticTask(name, function)
        with self.lock:
            self.tasks.append(task)
        status = DiagnosticStatusWrapper(name=task.name)
        status.summary(DiagnosticStatus.OK, "Node starting up")
        self.publish(status)

    def removeByName(self, name: str) -> bool:
        """Remove the first task of that name; False if there is none."""
        with self.lock:
            for task in self.tasks:
                if task.name == name:
                    self.tasks.remove(task)
                    return True
        return False

    def setHardwareID(self, hwid: str) -> None:
        self.hwid = hwid

    @property
    def period(self) -> float:
        """Seconds between two updates."""
        return self._period

    @period.setter
    def period(self, period: float) -> None:
        self._period = period
        self.node.destroy_timer(self.timer)
        self.timer = self.node.create_timer(period, self.update)

    def force_update(self) -> None:
        """Run the tasks and publish now."""
        self.update()

    def update(self) -> None:
        statuses = []
        with self.lock:
            for task in self.tasks:
                status = DiagnosticStatusWrapper(name=task.name, hardware_id=self.hwid)
                status.summary(DiagnosticStatus.ERROR, "No message was set")
                statuses.append(task.run(status))
        bad = [status for status in statuses if status.level != DiagnosticStatus.OK]
        if self.verbose:
            for status in bad:
                self.node.get_logger().warning(
                    f"Non-zero diagnostic status. Name: {status.name}, "
                    f"status {status.level[0]}: {status.message}"
                )
        if not bad and not self.hwid and not self._warned_of_hwid:
            self._warned_of_hwid = True
            self.node.get_logger().warning(
                "diagnostic_updater: no hardware id was set; where there is none, set it to 'none'."
            )
        self.publish(statuses)

    def broadcast(self, lvl: bytes, msg: str) -> None:
        """Publish the same level and message for every task without running any."""
        statuses = []
        for task in self.tasks:
            status = DiagnosticStatusWrapper(name=task.name)
            status.summary(lvl, msg)
            statuses.append(status)
        self.publish(statuses)

    def publish(self, msg: DiagnosticStatus | list[DiagnosticStatus]) -> None:
        """Publish a status or a list of them under the node's name."""
        array = DiagnosticArray()
        array.header.stamp = self.node.get_clock().now().to_msg()
        for status in msg if isinstance(msg, list) else [msg]:
            array.status.append(
                DiagnosticStatus(
                    level=status.level,
                    name=f"{self.node_name}: {status.name}",
                    message=status.message,
                    hardware_id=status.hardware_id,
                    values=status.values,
                )
            )
        self.publisher.publish(array)


def _parameter(node: Node, name: str, default: object) -> object:
    if not node.has_parameter(name):
        node.declare_parameter(name, default)
    return node.get_parameter(name).value
