# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Publishes the load of the computer."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus
from diagnostic_updater import DiagnosticStatusWrapper
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data

from pqc_msgs.msg import ComputerLoad
from pqc_policy.nodes.availability import Availability
from pqc_policy.policy.inputs import or_nan
from pqc_policy.sensing.computer.computer_load import Load, Throttled, Ticks, read_load
from pqc_policy.sensing.computer.patient_reads import PatientReads
from pqc_policy.sensing.sensing_settings import SensingSettings


class ComputerPublisher:
    """Reads the load at each tick; a computer that tells nothing publishes nothing."""

    def __init__(self, node: Node, settings: SensingSettings, reads: PatientReads) -> None:
        self._node = node
        self._reads = reads
        self._proc = settings.proc_root
        self._sys = settings.power.sys_root
        self._ticks: Ticks | None = None
        self._load = Load()
        self._publisher = node.create_publisher(ComputerLoad, "computer", qos_profile_sensor_data)
        self._availability = Availability(node.get_logger(), "Load of the computer")

    def tick(self) -> None:
        """Read the load since the previous tick and publish it."""
        self._reads.begin("computer", self._tick)

    def _tick(self) -> None:
        first = self._ticks is None
        self._load, self._ticks = read_load(self._proc, self._sys, self._ticks)
        if not self._load.known:
            self._availability.lost(f"nothing is known below {self._proc} and {self._sys}")
            return
        self._availability.found(f"read below {self._proc} and {self._sys}")
        if first and self._ticks is not None:
            return  # a share needs two readings
        load = self._load
        self._publisher.publish(
            ComputerLoad(
                stamp=self._node.get_clock().now().to_msg(),
                load=or_nan(load.load),
                cores=load.cores,
                memory=or_nan(load.memory),
                frequency_hz=or_nan(load.frequency_hz),
                highest_frequency_hz=or_nan(load.highest_frequency_hz),
                throttled=load.throttled,
            )
        )

    def diagnose(self, status: DiagnosticStatusWrapper) -> DiagnosticStatusWrapper:
        load = self._load
        if self._reads.hangs("computer"):
            status.summary(DiagnosticStatus.WARN, "The kernel does not tell the load")
            return status
        if load.load is None:
            status.summary(DiagnosticStatus.OK, "Load unknown")
        else:
            status.summary(DiagnosticStatus.OK, f"{load.load:.0%} of {load.cores} cores")
        if load.throttled is Throttled.YES:
            status.summary(DiagnosticStatus.WARN, "Throttled by heat or a low supply voltage")
        if load.memory is not None:
            status.add("memory in use", f"{load.memory:.0%}")
        if load.frequency_hz is not None:
            status.add("frequency (MHz)", f"{load.frequency_hz / 1e6:.0f}")
        status.add("throttled", load.throttled.name.lower())
        return status
