# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""MAVLink that the tests of both ends send and read."""

from __future__ import annotations

from typing import Any

from pymavlink.dialects.v20 import common as mavlink

UNKNOWN_MV = 65535


def heartbeat() -> bytes:
    """Return the heartbeat of a vehicle."""
    message = mavlink.MAVLink_heartbeat_message(2, 3, 81, 0, 4, 3)
    return bytes(message.pack(mavlink.MAVLink(None, 42, 1)))


def vehicle_traffic(armed: bool, cell_mv: int, cells: int = 4) -> bytes:
    """Return heartbeat and battery of the vehicle 1:1."""
    autopilot = mavlink.MAVLink(None, 1, 1)
    mode = mavlink.MAV_MODE_FLAG_SAFETY_ARMED if armed else 0
    voltages = [cell_mv] * cells + [UNKNOWN_MV] * (10 - cells)
    messages = (
        mavlink.MAVLink_heartbeat_message(
            mavlink.MAV_TYPE_HEXAROTOR, mavlink.MAV_AUTOPILOT_PX4, mode, 0, 4, 3
        ),
        mavlink.MAVLink_battery_status_message(0, 0, 1, 2500, voltages, 1000, -1, -1, -1),
    )
    return b"".join(message.pack(autopilot) for message in messages)


def message_of(datagram: bytes) -> Any:
    """Return the only message of a datagram."""
    (message,) = mavlink.MAVLink(None).parse_buffer(bytearray(datagram))
    return message
