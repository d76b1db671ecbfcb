# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What a vehicle says of itself, as its ground program sees it."""

from __future__ import annotations

from typing import Any

from pqc_sim.datagrams.mavlink_frames import Frame, message_name, split_frames
from pymavlink.dialects.v20 import ardupilotmega as mavlink

_UNKNOWN_CURRENT = -1
_MM_PER_M = 1000.0
_MV_PER_V = 1000.0
_CA_PER_A = 100.0


class SeenVehicle:
    """Keeps the newest report of each kind."""

    def __init__(self) -> None:
        self.types: dict[str, int] = {}
        self._newest: dict[int, mavlink.MAVLink_message] = {}
        self._codec = mavlink.MAVLink(None)

    def note(self, datagram: bytes) -> None:
        """Count the messages of a datagram; keep what they say of the vehicle."""
        for frame in split_frames(datagram).frames:
            self._note(frame)

    def _note(self, frame: Frame) -> None:
        name = message_name(frame.message_id)
        self.types[name] = self.types.get(name, 0) + 1
        if frame.message_id in _KEPT:
            message = self._codec.decode(bytearray(frame.data))
            if frame.message_id != _HEARTBEAT or message.autopilot != _NO_AUTOPILOT:
                self._newest[frame.message_id] = message

    def as_dict(self) -> dict[str, Any]:
        """Return the schema's members of l_flight_controller, None for what nothing reported."""
        # The program at an end of a test bed has no more of pymavlink than the dialect.
        from pymavlink import mavutil

        heartbeat, status, place, speed = map(self._newest.get, _KEPT)
        volt = status.voltage_battery / _MV_PER_V if status else None
        known = status is not None and status.current_battery != _UNKNOWN_CURRENT
        return {
            "armed": bool(heartbeat.base_mode & _ARMED) if heartbeat else None,
            "mode": mavutil.mode_string_v10(heartbeat) if heartbeat else None,
            "battery_v": volt,
            "battery_charge_percent": float(status.battery_remaining) if status else None,
            "height_m": place.relative_alt / _MM_PER_M if place else None,
            "speed_m_s": speed.groundspeed if speed else None,
            "heartbeats": self.types.get("HEARTBEAT", 0),
            "predicted_flight_constraint_w": (
                volt * status.current_battery / _CA_PER_A if known and volt is not None else None
            ),
        }


_HEARTBEAT = mavlink.MAVLINK_MSG_ID_HEARTBEAT
_NO_AUTOPILOT = mavlink.MAV_AUTOPILOT_INVALID
_ARMED = mavlink.MAV_MODE_FLAG_SAFETY_ARMED
_KEPT = (
    _HEARTBEAT,
    mavlink.MAVLINK_MSG_ID_SYS_STATUS,
    mavlink.MAVLINK_MSG_ID_GLOBAL_POSITION_INT,
    mavlink.MAVLINK_MSG_ID_VFR_HUD,
)
