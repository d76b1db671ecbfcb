# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A node that publishes like MAVROS."""

from __future__ import annotations

from typing import Any

from mavros_messages import SystemStatusPlugin
from mavros_msgs.msg import ExtendedState, State, VfrHud
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import BatteryState

_ARMED = 0x81  # of base_mode
_LATCHED = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class FalseMavros:
    """Publishes battery, state, landed state and motion with the QoS of MAVROS."""

    def __init__(self, node: Node, namespace: str) -> None:
        self._node = node
        self._plugin = SystemStatusPlugin()
        self._battery = node.create_publisher(
            BatteryState, f"{namespace}/battery", qos_profile_sensor_data
        )
        self._landed = node.create_publisher(ExtendedState, f"{namespace}/extended_state", 10)
        self._motion = node.create_publisher(
            VfrHud, f"{namespace}/vfr_hud", qos_profile_sensor_data
        )
        self._state = node.create_publisher(State, f"{namespace}/state", _LATCHED)

    def publish(self, *battery: Any, **more: Any) -> None:
        """Publish what MAVROS makes of a BATTERY_STATUS and a heartbeat during a landing."""
        state = self._plugin.heartbeat(_ARMED, "OFFBOARD")
        self._send(self._plugin.battery_status(*battery, **more), state)
        self._landed.publish(ExtendedState(landed_state=ExtendedState.LANDED_STATE_LANDING))
        self._motion.publish(VfrHud(groundspeed=0.5, throttle=0.3, climb=-0.8))

    def publish_summary(self, *battery: int) -> None:
        message = self._plugin.sys_status(*battery)
        if message is not None:
            self._send(message)

    def publish_state(self) -> None:
        """Publish what MAVROS makes of a heartbeat, as with an autopilot that sends no more."""
        self._send(self._plugin.heartbeat(_ARMED, "OFFBOARD"))

    def lose_connection(self) -> None:
        """Publish the state that MAVROS reports without heartbeats."""
        self._send(self._plugin.disconnection())

    def _send(self, *messages: BatteryState | State) -> None:
        for message in messages:
            message.header.stamp = self._node.get_clock().now().to_msg()
            publisher = self._battery if isinstance(message, BatteryState) else self._state
            publisher.publish(message)
