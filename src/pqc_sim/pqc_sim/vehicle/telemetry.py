# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The continuous stream of telemetry: the rate of each message, and the messages that are due."""

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
    "MISSION_CURRENT": 1.0,
    "SYSTEM_TIME": 1.0,
    "HOME_POSITION": 0.5,
    "TIMESYNC": 1.0,
    "EXTENDED_SYS_STATE": 1.0,
}
# These share the rest of the total rate in proportion to their weights.
_FILLING = {
    "ATTITUDE": 10.0,
    "ATTITUDE_QUATERNION": 5.0,
    "RAW_IMU": 5.0,
    "LOCAL_POSITION_NED": 3.0,
    "SERVO_OUTPUT_RAW": 2.0,
    "RC_CHANNELS": 1.0,
    "SCALED_PRESSURE": 1.0,
}
_SILENT = -1.0
_DEFAULT = 0.0
_MICROSECONDS = 1e6
_NS = 1e9
# A slot may come a little before the end of an interval.
_PUNCTUAL = 0.9


class Telemetry:
    """Names the messages that are due; their total rate is constant."""

    def __init__(self, readings: Readings, rate_hz: int, start_ns: int) -> None:
        self._readings = readings
        self._share = Share(rate_hz, _FIXED, _FILLING)
        self._pacer = Pacer(rate_hz, start_ns)
        self._gone_ns: dict[str, int] = {}
        self._numbers = {
            message.id: name
            for message in mavlink.mavlink_map.values()
            if readings.has(name := message.msgname)
        }

    @property
    def slips(self) -> int:
        """The number of messages that were skipped because the program was late."""
        return self._pacer.slips

    def next_ns(self) -> int:
        """Return when the next message is due, in ns."""
        return self._pacer.next_ns()

    def due(self, now_ns: int, slowdown_ms: int = 0, penalty: int = 1) -> list[str]:
        """Return the names of the messages that have come due.

        Each interval but that of the heartbeat is `slowdown_ms` longer, and then `penalty` times as
        long.
        """
        names = [self._share.next() for _ in range(self._pacer.take(now_ns))]
        if slowdown_ms > 0 or penalty > 1:
            names = [name for name in names if self._may_go(name, now_ns, slowdown_ms, penalty)]
        self._gone_ns.update(dict.fromkeys(names, now_ns))
        return names

    def set_total(self, rate_hz: int, now_ns: int) -> None:
        """Begin again with another total rate."""
        self._share = Share(rate_hz, _FIXED, _FILLING)
        self._pacer = Pacer(rate_hz, now_ns)

    def _may_go(self, name: str, now_ns: int, slowdown_ms: int, penalty: int) -> bool:
        interval_ns = (_NS / self._share.rates[name] + slowdown_ms * 1e6) * penalty
        passed_ns = now_ns - self._gone_ns.get(name, 0)
        return name == "HEARTBEAT" or passed_ns > _PUNCTUAL * interval_ns

    def build(self, name: str) -> mavlink.MAVLink_message:
        return self._readings.message(name)

    def name_of(self, number: int) -> str | None:
        """Return the name of a message that can be requested, or None."""
        return self._numbers.get(number)

    def interval(self, number: int) -> mavlink.MAVLink_message_interval_message:
        """Return the message with the interval of another: -1 if it is off, 0 if it is unknown."""
        name = self.name_of(number)
        if name is None:
            microseconds = 0
        else:
            rate = self._share.rates.get(name, 0.0)
            microseconds = round(_MICROSECONDS / rate) if rate > 0.0 else -1
        return mavlink.MAVLink_message_interval_message(number, microseconds)

    def set_interval(self, name: str, microseconds: float) -> bool:
        """Set the interval of a message (0: default, -1: off); False if the total is too small."""
        if microseconds == _DEFAULT:
            if name in _FILLING:
                return self._share.fill(name, _FILLING[name])
            return self._share.set_rate(name, _FIXED.get(name, 0.0))
        if microseconds == _SILENT:
            return name != "HEARTBEAT" and self._share.set_rate(name, 0.0)
        return microseconds > 0.0 and self._share.set_rate(name, _MICROSECONDS / microseconds)
