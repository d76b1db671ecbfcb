# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Publishes the temperature of the hottest thermal zone."""

from __future__ import annotations

import math
import time

from diagnostic_msgs.msg import DiagnosticStatus
from diagnostic_updater import DiagnosticStatusWrapper
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data

from pqc_msgs.msg import ThermalReading
from pqc_policy.nodes.availability import Availability
from pqc_policy.nodes.missing_input_status import report_missing
from pqc_policy.sensing.sensing_settings import SensingSettings
from pqc_policy.sensing.thermal_zones import Zone, hottest, read_zones
from pqc_policy.sensing.trend import Trend


class ThermalPublisher:
    """Reads the zones at each tick; while there are none, only every retry_s."""

    def __init__(self, node: Node, settings: SensingSettings) -> None:
        self._node = node
        self._root = settings.power.sys_root
        self._retry_s: float = settings.retry_s
        self._trend = Trend(window_s=settings.thermal_rate_window_s)
        self._publisher = node.create_publisher(ThermalReading, "thermal", qos_profile_sensor_data)
        self._availability = Availability(node.get_logger(), "Temperature")
        self._look_s = 0.0
        self._zone: Zone | None = None

    def tick(self) -> None:
        """Read the zones and publish the hottest one."""
        now_s = time.monotonic()
        if self._zone is None and now_s < self._look_s:
            return
        self._zone = zone = hottest(read_zones(self._root))
        if zone is None:
            self._look_s = now_s + self._retry_s
            self._trend = Trend(self._trend.window_s, self._trend.least_s)
            self._availability.lost(f"there is no thermal zone below {self._root}")
            return
        self._availability.found(f"the hottest zone is {zone.name}")
        self._trend = self._trend.pushed(now_s, zone.temperature_c)
        rate = self._trend.per_minute()
        self._publisher.publish(
            ThermalReading(
                stamp=self._node.get_clock().now().to_msg(),
                zone=zone.name,
                temperature_c=zone.temperature_c,
                rate_c_per_min=math.nan if rate is None else rate,
            )
        )

    def diagnose(self, status: DiagnosticStatusWrapper) -> DiagnosticStatusWrapper:
        """Report the temperature."""
        if self._zone is None:
            return report_missing(status, "thermal", f"no thermal zone below {self._root}")
        status.summary(DiagnosticStatus.OK, f"{self._zone.temperature_c:.1f} °C")
        status.add("zone", self._zone.name)
        return status
