# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads battery, state and motion from a copy of the MAVLink traffic by the tunnel's mirror.

The copy has both directions: only messages of the autopilot itself are used. Frames with other
messages are skipped without being decoded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pymavlink import mavutil
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_policy.sensing.battery_reading import BatteryReading
from pqc_policy.sensing.mission_phase import Motion

# What the drone's tunnel has to copy: its parameter mirror_messages.
MESSAGES = (
    mavlink.MAVLINK_MSG_ID_HEARTBEAT,
    mavlink.MAVLINK_MSG_ID_SYS_STATUS,
    mavlink.MAVLINK_MSG_ID_BATTERY_STATUS,
    mavlink.MAVLINK_MSG_ID_VFR_HUD,
    mavlink.MAVLINK_MSG_ID_EXTENDED_SYS_STATE,
)
_UNKNOWN_VOLTAGE = 65535  # mV
_UNKNOWN_CURRENT = -1  # cA
_UNKNOWN_TEMPERATURE = 32767  # c°C
_ANOTHER_AFTER_S = 10.0  # silence of the autopilot after which another one is accepted
_MOTION_S = 0.45  # least time between two messages on the motion
_DETAILS_S = 3.0  # silence of BATTERY_STATUS after which SYS_STATUS is used


@dataclass(frozen=True, slots=True)
class VehicleReading:
    """The content of one heartbeat."""

    armed: bool
    mode: str


@dataclass(frozen=True, slots=True)
class LandedReading:
    """The content of one EXTENDED_SYS_STATE: a MAV_LANDED_STATE."""

    landed: int


Reading = BatteryReading | VehicleReading | LandedReading | Motion


class Mirror:
    """Reads the messages of one autopilot; times are in s, of a monotonic clock."""

    def __init__(self, system: int = 0) -> None:
        """Accept the autopilot with a system id, or the first one received (0)."""
        self._wanted_system = system
        self._codec = mavlink.MAVLink(None)
        self._codec.robust_parsing = True
        self._autopilot: tuple[int, int] | None = None  # system, component
        self._heartbeat_s = 0.0
        self._details_s: float | None = None
        self._motion_s = float("-inf")

    @property
    def system(self) -> int | None:
        """The system id of the accepted autopilot; None before its first message."""
        return self._autopilot[0] if self._autopilot is not None else None

    def take(self, datagram: bytes, now_s: float) -> list[Reading]:
        """Return the readings of the autopilot in a datagram."""
        readings = (self._read(message, now_s) for message in self._messages(datagram, now_s))
        return [reading for reading in readings if reading is not None]

    def _messages(self, datagram: bytes, now_s: float) -> Iterator[mavlink.MAVLink_message]:
        for number, frame in frames(datagram):
            if number not in MESSAGES:
                continue
            if number == mavlink.MAVLINK_MSG_ID_VFR_HUD:
                # Ten a second would cost more than all others.
                if now_s - self._motion_s < _MOTION_S:
                    continue
                self._motion_s = now_s
            try:
                yield self._codec.decode(bytearray(frame))
            except mavlink.MAVError:
                continue

    def _read(self, message: mavlink.MAVLink_message, now_s: float) -> Reading | None:
        sender = (message.get_srcSystem(), message.get_srcComponent())
        kind = message.get_type()
        if kind == "HEARTBEAT":
            return self._state(message, sender, now_s)
        if sender != self._autopilot:
            return None
        if kind == "EXTENDED_SYS_STATE":
            return LandedReading(message.landed_state)
        if kind == "VFR_HUD":
            return Motion(message.climb, message.groundspeed, message.throttle / 100.0)
        if kind == "BATTERY_STATUS":
            battery = _details(message)
            if battery is not None:
                self._details_s = now_s
            return battery
        if self._details_s is not None and now_s - self._details_s < _DETAILS_S:
            return None
        return _summary(message)

    def _state(
        self, message: mavlink.MAVLink_message, sender: tuple[int, int], now_s: float
    ) -> VehicleReading | None:
        if (
            message.type == mavlink.MAV_TYPE_GCS
            or message.autopilot == mavlink.MAV_AUTOPILOT_INVALID
            or self._wanted_system not in (0, sender[0])
        ):
            return None
        if sender != self._autopilot:
            if self._autopilot is not None and now_s - self._heartbeat_s < _ANOTHER_AFTER_S:
                return None
            self._autopilot = sender
        self._heartbeat_s = now_s
        armed = bool(message.base_mode & mavlink.MAV_MODE_FLAG_SAFETY_ARMED)
        return VehicleReading(armed, mavutil.mode_string_v10(message))


def frames(datagram: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of each MAVLink frame in a datagram; stop at the first non-frame."""
    at = 0
    while at + 6 <= len(datagram):
        magic, length = datagram[at], datagram[at + 1]
        if magic == 0xFE:
            number, end = datagram[at + 5], at + 8 + length
        elif magic == 0xFD and at + 10 <= len(datagram):
            number = int.from_bytes(datagram[at + 7 : at + 10], "little")
            # Signed frames are 13 bytes longer.
            end = at + 12 + length + (13 if datagram[at + 2] & 0x01 else 0)
        else:
            return
        if end > len(datagram):
            return
        yield number, datagram[at:end]
        at = end


def _details(message: mavlink.MAVLink_message) -> BatteryReading | None:
    every_cell = (*message.voltages, *getattr(message, "voltages_ext", ()))
    cells = [volts for volts in every_cell if volts != _UNKNOWN_VOLTAGE]
    if message.id != 0 or not sum(cells):
        return None
    temperature = message.temperature
    return BatteryReading(
        sum(cells) / 1000.0,
        _current(message.current_battery),
        None if temperature == _UNKNOWN_TEMPERATURE else temperature / 100.0,
    )


def _summary(message: mavlink.MAVLink_message) -> BatteryReading | None:
    if message.voltage_battery in (0, _UNKNOWN_VOLTAGE):
        return None
    return BatteryReading(message.voltage_battery / 1000.0, _current(message.current_battery), None)


def _current(centi_a: int) -> float | None:
    return None if centi_a == _UNKNOWN_CURRENT else centi_a / 100.0
