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

from binascii import crc_hqx
from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct
from typing import Any

from pqc_policy.sensing.battery.reading import BatteryReading, reading_of
from pqc_policy.sensing.flight_modes import mode_name
from pqc_policy.sensing.mission_phase import Motion

_HEARTBEAT, _SYS_STATUS, _VFR_HUD, _BATTERY_STATUS, _EXTENDED_SYS_STATE = 0, 1, 74, 147, 245
# Each message has its CRC_EXTRA, and the payload up to the last field that is read. MAVLink sends
# the fields of its XML files in the order of their size. The drone's tunnel has to copy these
# messages: its parameter mirror_messages.
MESSAGES = {
    _HEARTBEAT: (50, Struct("<IBBB")),  # custom mode, type, autopilot, base mode
    _SYS_STATUS: (124, Struct("<14xHh")),  # voltage, current
    _VFR_HUD: (20, Struct("<4xf4xf2xH")),  # ground speed, climb, throttle
    # Temperature, ten cells, current, id, four further cells.
    _BATTERY_STATUS: (154, Struct("<8xh10HhB8x4H")),
    _EXTENDED_SYS_STATE: (130, Struct("<xB")),  # landed state
}
_CELLS = 10
_UNKNOWN_VOLTAGE = 65535  # mV, of a cell
_SAFETY_ARMED = 0x80  # MAV_MODE_FLAG
_COMPONENT_AUTOPILOT = 1  # MAV_COMP_ID
_GENERIC, _INVALID = 0, 8  # MAV_AUTOPILOT; 0 is GENERIC of MAV_TYPE, too
# MAV_TYPEs of parts of a vehicle or of its surroundings, whatever autopilot they name: antenna
# tracker, ground station, onboard controller, gimbal, ADS-B, camera, charging station, FLARM,
# servo, ODID, battery, parachute, log, OSD, IMU, GPS, winch.
_NEVER_VEHICLES = frozenset((5, 6, 18, 26, 27, 30, 31, 32, 33, 34, *range(36, 43)))
_VERSION_1, _VERSION_2 = 0xFE, 0xFD  # first byte of a frame
_SIGNED = 0x01
_BEGINNINGS = (b"", bytes((_VERSION_1,)), bytes((_VERSION_2,)))  # or the end of the datagram
_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
_ANOTHER_AFTER_S = 10.0  # silence of the autopilot after which another one is accepted
_MOTION_S = 0.45  # least time between two messages on the motion
_DETAILS_S = 3.0  # silence of BATTERY_STATUS after which SYS_STATUS is used
_Sender = tuple[int, int]  # system, component


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
        self._autopilot: _Sender | None = None
        self._likeness: tuple[bool, ...] = ()  # of that sender to an autopilot
        self._heartbeat_s = 0.0
        self._details_s: float | None = None
        self._motion_s = float("-inf")

    @property
    def autopilot(self) -> _Sender | None:
        """System and component id of the accepted autopilot; None before its first message."""
        return self._autopilot

    def take(self, datagram: bytes, now_s: float) -> list[Reading]:
        readings = (
            self._read(number, frame, now_s)
            for number, frame in frames(datagram)
            if number in MESSAGES
        )
        return [reading for reading in readings if reading is not None]

    def _read(self, number: int, frame: bytes, now_s: float) -> Reading | None:
        sender, fields = _content(number, frame)
        if number == _HEARTBEAT:
            return self._state(sender, now_s, *fields)
        if number == _VFR_HUD:
            # Ten a second would cost more than all others.
            if now_s - self._motion_s < _MOTION_S:
                return None
            self._motion_s = now_s
        if sender != self._autopilot:
            return None
        if number == _EXTENDED_SYS_STATE:
            return LandedReading(*fields)
        if number == _VFR_HUD:
            speed, climb, throttle = fields
            return Motion(climb, speed, throttle / 100.0)
        if number == _BATTERY_STATUS:
            battery = _details(*fields)
            if battery is not None:
                self._details_s = now_s
            return battery
        if self._details_s is not None and now_s - self._details_s < _DETAILS_S:
            return None
        millivolts, current = fields
        return reading_of(millivolts / 1000.0, current / 100.0, None)

    def _state(
        self, sender: _Sender, now_s: float, custom: int, kind: int, autopilot: int, base: int
    ) -> VehicleReading | None:
        if (
            kind in _NEVER_VEHICLES
            or autopilot == _INVALID
            or self._wanted_system not in (0, sender[0])
        ):
            return None
        likeness = kind != _GENERIC, autopilot != _GENERIC, sender[1] == _COMPONENT_AUTOPILOT
        if sender != self._autopilot:
            speaks = self._autopilot is not None and now_s - self._heartbeat_s < _ANOTHER_AFTER_S
            if speaks and likeness <= self._likeness:
                return None
            self._autopilot, self._details_s = sender, None
        self._heartbeat_s, self._likeness = now_s, likeness
        return VehicleReading(bool(base & _SAFETY_ARMED), mode_name(kind, autopilot, base, custom))


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
    if number not in MESSAGES:  # Its checksum can't be computed: what follows has to be a frame.
        return (number, end) if datagram[end : end + 1] in _BEGINNINGS else None
    extra, _ = MESSAGES[number]
    given = int.from_bytes(datagram[crc_at : crc_at + 2], "little")
    return (number, end) if _checksum(datagram[at + 1 : crc_at], extra) == given else None


def _checksum(content: bytes, extra: int) -> int:
    """Return MAVLink's checksum: CRC-16/MCRF4XX over the content and CRC_EXTRA."""
    # Python's own function has the same polynomial, and takes the other end of each byte first.
    high, low = divmod(crc_hqx((content + bytes((extra,))).translate(_REVERSED), 0xFFFF), 256)
    return _REVERSED[low] << 8 | _REVERSED[high]


def _content(number: int, frame: bytes) -> tuple[_Sender, tuple[Any, ...]]:
    """Return the sender and the fields of a frame; what its payload lacks is zero."""
    _, fields = MESSAGES[number]
    at, sender_at = (6, 3) if frame[0] == _VERSION_1 else (10, 5)
    payload = frame[at : at + min(frame[1], fields.size)].ljust(fields.size, b"\0")
    return (frame[sender_at], frame[sender_at + 1]), fields.unpack(payload)


def _details(temperature: int, *fields: int) -> BatteryReading | None:
    current, number = fields[_CELLS : _CELLS + 2]
    cells = (*fields[:_CELLS], *fields[_CELLS + 2 :])
    if number != 0:
        return None
    millivolts = sum(cell for cell in cells if cell != _UNKNOWN_VOLTAGE)
    return reading_of(millivolts / 1000.0, current / 100.0, temperature / 100.0)
