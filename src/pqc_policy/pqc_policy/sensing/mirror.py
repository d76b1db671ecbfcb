# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads battery, state and motion from a copy of the MAVLink traffic by the tunnel's mirror.

The tunnel copies what the vehicle sends and nothing of the ground (decision 0054). Of that only
messages of the autopilot itself are used. Frames with other messages are skipped without being
decoded.

Cameras and gimbals may send heartbeats of the autopilot GENERIC. So the sender that looks most like
the vehicle counts, whichever spoke first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pymavlink import mavutil
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_policy.sensing.battery.reading import BatteryReading, reading_of
from pqc_policy.sensing.mission_phase import Motion

# The drone's tunnel has to copy these: its parameter mirror_messages.
MESSAGES = (
    mavlink.MAVLINK_MSG_ID_HEARTBEAT,
    mavlink.MAVLINK_MSG_ID_SYS_STATUS,
    mavlink.MAVLINK_MSG_ID_BATTERY_STATUS,
    mavlink.MAVLINK_MSG_ID_VFR_HUD,
    mavlink.MAVLINK_MSG_ID_EXTENDED_SYS_STATE,
)
_UNKNOWN_VOLTAGE = 65535  # mV, of a cell
_AUTOPILOT = mavlink.MAV_COMP_ID_AUTOPILOT1
# Parts of a vehicle or of its surroundings, whatever autopilot they name.
_NEVER_VEHICLES = frozenset(
    getattr(mavlink, f"MAV_TYPE_{name}")
    for name in (
        *("ANTENNA_TRACKER", "GCS", "ONBOARD_CONTROLLER", "GIMBAL", "ADSB", "CAMERA"),
        *("CHARGING_STATION", "FLARM", "SERVO", "ODID", "BATTERY", "PARACHUTE", "LOG", "OSD"),
        *("IMU", "GPS", "WINCH"),
    )
)
_VERSION_1, _VERSION_2 = 0xFE, 0xFD  # first byte of a frame
_SIGNED = 0x01
_BEGINNINGS = (b"", bytes((_VERSION_1,)), bytes((_VERSION_2,)))  # or the end of the datagram
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
        """Accept the autopilot with a system id, or of any system (0)."""
        self._wanted_system = system
        self._codec = mavlink.MAVLink(None)
        self._codec.robust_parsing = True
        self._autopilot: tuple[int, int] | None = None  # system, component
        self._likeness: tuple[bool, ...] = ()  # of that sender to an autopilot
        self._heartbeat_s = 0.0
        self._details_s: float | None = None
        self._motion_s = float("-inf")

    @property
    def autopilot(self) -> tuple[int, int] | None:
        """System and component id of the accepted autopilot; None before its first message."""
        return self._autopilot

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
            message.type in _NEVER_VEHICLES
            or message.autopilot == mavlink.MAV_AUTOPILOT_INVALID
            or self._wanted_system not in (0, sender[0])
        ):
            return None
        likeness = (
            message.type != mavlink.MAV_TYPE_GENERIC,
            message.autopilot != mavlink.MAV_AUTOPILOT_GENERIC,
            sender[1] == _AUTOPILOT,
        )
        if sender != self._autopilot:
            speaks = self._autopilot is not None and now_s - self._heartbeat_s < _ANOTHER_AFTER_S
            if speaks and likeness <= self._likeness:
                return None
            self._autopilot, self._details_s = sender, None
        self._heartbeat_s, self._likeness = now_s, likeness
        armed = bool(message.base_mode & mavlink.MAV_MODE_FLAG_SAFETY_ARMED)
        return VehicleReading(armed, mavutil.mode_string_v10(message))


def frames(datagram: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of each MAVLink frame in a datagram, whatever is between them."""
    at = 0
    while at + 8 <= len(datagram):
        found = _frame_at(datagram, at)
        if found is None:
            at += 1
            continue
        number, end = found
        yield number, datagram[at:end]
        at = end


def _frame_at(datagram: bytes, at: int) -> tuple[int, int] | None:
    """Return number and end of the frame that begins there; None if none does."""
    magic, length = datagram[at], datagram[at + 1]
    if magic == _VERSION_1:
        number, crc_at, signature = datagram[at + 5], at + 6 + length, 0
    elif magic == _VERSION_2 and at + 12 <= len(datagram) and datagram[at + 2] | _SIGNED == _SIGNED:
        number, crc_at = int.from_bytes(datagram[at + 7 : at + 10], "little"), at + 10 + length
        signature = 13 if datagram[at + 2] else 0
    else:
        return None
    end = crc_at + 2 + signature
    if end > len(datagram):
        return None
    known = mavlink.mavlink_map.get(number)
    if known is None:  # Its checksum can't be computed: what follows has to be a frame.
        return (number, end) if datagram[end : end + 1] in _BEGINNINGS else None
    crc = mavlink.x25crc(datagram[at + 1 : crc_at] + bytes((known.crc_extra,)))
    given = int.from_bytes(datagram[crc_at : crc_at + 2], "little")
    return (number, end) if crc.crc == given else None


def _details(message: mavlink.MAVLink_message) -> BatteryReading | None:
    every_cell = (*message.voltages, *getattr(message, "voltages_ext", ()))
    cells = [volts for volts in every_cell if volts != _UNKNOWN_VOLTAGE]
    if message.id != 0:
        return None
    return reading_of(
        sum(cells) / 1000.0, message.current_battery / 100.0, message.temperature / 100.0
    )


def _summary(message: mavlink.MAVLink_message) -> BatteryReading | None:
    return reading_of(message.voltage_battery / 1000.0, message.current_battery / 100.0, None)
