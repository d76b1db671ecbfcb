# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Publishes the temperature of the processor."""

from __future__ import annotations

import time

from diagnostic_msgs.msg import DiagnosticStatus
from diagnostic_updater import DiagnosticStatusWrapper
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data

from pqc_msgs.msg import ThermalReading
from pqc_policy.nodes.availability import Availability
from pqc_policy.policy.inputs import or_nan
from pqc_policy.policy.wording import capital
from pqc_policy.sensing.computer.patient_reads import PatientReads
from pqc_policy.sensing.computer.thermal_zones import ThermalZones, Zone
from pqc_policy.sensing.sensing_settings import SensingSettings
from pqc_policy.sensing.trend import Trend


class ThermalPublisher:
    """Publishes at each tick what the reads before it have found."""

    def __init__(self, node: Node, settings: SensingSettings, reads: PatientReads) -> None:
        self._node = node
        self._zones = ThermalZones(settings.power.sys_root, settings.thermal_zones, reads)
        self._no_trend = self._trend = Trend()
        self._publisher = node.create_publisher(ThermalReading, "thermal", qos_profile_sensor_data)
        self._availability = Availability(node.get_logger(), "Temperature")
        self._zone: Zone | None = None

    def begin(self) -> None:
        self._zones.begin()

    def tick(self) -> None:
        counted = self._zones.counting
        self._zone = zone = self._zones.hottest()
        if self._zones.counting != counted:
            self._trend = self._no_trend
        if zone is None:
            if not self._zones.settling:
                self._availability.lost(self._zones.problem)
            return
        self._availability.found(f"read from {self._names}")
        self._trend = self._trend.pushed(time.monotonic(), zone.temperature_c)
        rate = self._trend.per_minute()
        self._publisher.publish(
            ThermalReading(
                stamp=self._node.get_clock().now().to_msg(),
                zone=zone.name,
                temperature_c=zone.temperature_c,
                rate_c_per_min=or_nan(rate),
            )
        )

    def diagnose(self, status: DiagnosticStatusWrapper) -> DiagnosticStatusWrapper:
        if self._zone is None:
            status.summary(DiagnosticStatus.WARN, capital(self._zones.problem))
            return status
        status.summary(DiagnosticStatus.OK, f"{self._zone.temperature_c:.1f} °C")
        status.add("hottest zone", self._zone.name)
        status.add("zones in use", self._names)
        return status

    @property
    def _names(self) -> str:
        return ", ".join(self._zones.counting)
