# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Publishes what MAVROS makes of the vehicle's messages, as far as sensing reads it."""

from __future__ import annotations

from typing import Any

from mavros_msgs.msg import ExtendedState, State, VfrHud
from pqc_sim.pair.node_view import NodeView
from pymavlink.dialects.v20 import ardupilotmega as mavlink
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import BatteryState

_LATCHED = QoSProfile(depth=10, durability=DurabilityPolicy.TRANSIENT_LOCAL)
_END_OF_CELLS = 65535


class MavrosRelay:
    """Publishes below /mavros, each message as often as the vehicle sends it."""

    def __init__(self, view: NodeView) -> None:
        self._view = view
        self._codec = mavlink.MAVLink(None)
        self._publishers = {
            kind: view.publisher(kind, f"/mavros/{topic}", qos)
            for kind, topic, qos in (
                (BatteryState, "battery", qos_profile_sensor_data),
                (State, "state", _LATCHED),
                (ExtendedState, "extended_state", QoSProfile(depth=10)),
                (VfrHud, "vfr_hud", qos_profile_sensor_data),
            )
        }

    def take(self, datagram: bytes) -> None:
        """Publish the content of a datagram."""
        for message in self._codec.parse_buffer(datagram) or ():
            published = _published(message)
            if published is not None:
                published.header.stamp = self._view.now()
                self._publishers[type(published)].publish(published)


def _published(message: mavlink.MAVLink_message) -> Any:
    kind = message.get_type()
    if kind == "HEARTBEAT":
        armed = bool(message.base_mode & mavlink.MAV_MODE_FLAG_SAFETY_ARMED)
        return State(connected=True, armed=armed, mode=str(message.custom_mode))
    if kind == "BATTERY_STATUS":
        cells = [0.001 * cell for cell in message.voltages if cell != _END_OF_CELLS]
        current_a = -0.01 * message.current_battery
        return BatteryState(voltage=sum(cells), current=current_a, location="id0", present=True)
    if kind == "EXTENDED_SYS_STATE":
        return ExtendedState(landed_state=message.landed_state)
    if kind == "VFR_HUD":
        return VfrHud(groundspeed=message.groundspeed, climb=message.climb)
    return None
