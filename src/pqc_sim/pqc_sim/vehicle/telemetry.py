# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The continuous stream: which message comes how often, and the message for each name."""

from __future__ import annotations

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_sim.vehicle.readings import Readings
from pqc_sim.vehicle.schedule import Pacer, Share

# Rates in Hz. The heartbeat comes first: it keeps its rate whatever the total is.
_FIXED = {
    "HEARTBEAT": 1.0,
    "SYS_STATUS": 2.0,
    "BATTERY_STATUS": 2.0,
    "GPS_RAW_INT": 5.0,
    "GLOBAL_POSITION_INT": 10.0,
    "VFR_HUD": 10.0,
    "NAV_CONTROLLER_OUTPUT": 5.0,
    "EKF_STATUS_REPORT": 2.0,
    "VIBRATION": 2.0,
    "MISSION_CURRENT": 1.0,
    "SYSTEM_TIME": 1.0,
    "POWER_STATUS": 1.0,
    "MEMINFO": 1.0,
    "HOME_POSITION": 0.5,
    "TIMESYNC": 1.0,
}
# What's left of the total is divided in these proportions.
_FILLING = {
    "ATTITUDE": 10.0,
    "ATTITUDE_QUATERNION": 5.0,
    "RAW_IMU": 5.0,
    "SCALED_IMU2": 5.0,
    "LOCAL_POSITION_NED": 3.0,
    "SERVO_OUTPUT_RAW": 2.0,
    "RC_CHANNELS": 1.0,
    "SCALED_PRESSURE": 1.0,
    "AHRS2": 1.0,
}
_SILENT = -1.0
_DEFAULT = 0.0
_MICROSECONDS = 1e6


class Telemetry:
    """Gives the messages that are due; the total rate stays what was chosen."""

    def __init__(self, readings: Readings, rate_hz: int, start_ns: int) -> None:
        """Start the stream at a time."""
        self._readings = readings
        self._share = Share(rate_hz, _FIXED, _FILLING)
        self._pacer = Pacer(rate_hz, start_ns)
        self._numbers = {
            message.id: name
            for message in mavlink.mavlink_map.values()
            if (name := message.msgname) in readings.names
        }

    @property
    def slips(self) -> int:
        """How many messages were given up because the program came too late."""
        return self._pacer.slips

    def next_ns(self) -> int:
        """When the next message is due."""
        return self._pacer.next_ns()

    def due(self, now_ns: int) -> list[str]:
        """Return the names of the messages that have come due."""
        return [self._share.next() for _ in range(self._pacer.take(now_ns))]

    def build(self, name: str) -> mavlink.MAVLink_message:
        """Return a message with the present readings."""
        return self._readings.message(name)

    def name_of(self, number: int) -> str | None:
        """Return the name of a message that can be asked for, or None."""
        return self._numbers.get(number)

    def interval(self, number: int) -> mavlink.MAVLink_message_interval_message:
        """Return how often a message comes: -1 not at all, 0 unknown."""
        name = self.name_of(number)
        if name is None:
            microseconds = 0
        else:
            rate = self._share.rates.get(name, 0.0)
            microseconds = round(_MICROSECONDS / rate) if rate > 0.0 else -1
        return mavlink.MAVLink_message_interval_message(number, microseconds)

    def set_interval(self, name: str, microseconds: float) -> bool:
        """Choose how often a message comes (0: as usual, -1: never); False if there's no room."""
        if microseconds == _DEFAULT:
            if name in _FILLING:
                return self._share.fill(name, _FILLING[name])
            return self._share.set_rate(name, _FIXED.get(name, 0.0))
        if microseconds == _SILENT:
            return name != "HEARTBEAT" and self._share.set_rate(name, 0.0)
        return microseconds > 0.0 and self._share.set_rate(name, _MICROSECONDS / microseconds)
