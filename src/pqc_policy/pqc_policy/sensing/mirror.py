# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the autopilot says of its battery and state, from a copy of the MAVLink traffic.

The copy holds both directions: only what the autopilot itself says counts. Nearly all frames are
passed over without being decoded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pymavlink import mavutil
from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_policy.sensing.battery_heard import BatteryHeard

_WANTED = (
    mavlink.MAVLINK_MSG_ID_HEARTBEAT,
    mavlink.MAVLINK_MSG_ID_SYS_STATUS,
    mavlink.MAVLINK_MSG_ID_BATTERY_STATUS,
)
_UNKNOWN_VOLTAGE = 65535  # mV
_UNKNOWN_CURRENT = -1  # cA
_UNKNOWN_TEMPERATURE = 32767  # c°C
_ANOTHER_AFTER_S = 10.0  # of an autopilot's silence, another one is listened to
_DETAILS_S = 3.0  # BATTERY_STATUS tells more; SYS_STATUS is used where it doesn't come


@dataclass(frozen=True, slots=True)
class StateHeard:
    """One heartbeat."""

    armed: bool
    mode: str


class Mirror:
    """Listens for one autopilot; times are in s, of a clock that only goes forward."""

    def __init__(self, system: int = 0) -> None:
        """Listen for the autopilot with a system id, or for the first one that is heard (0)."""
        self._wanted_system = system
        self._codec = mavlink.MAVLink(None)
        self._codec.robust_parsing = True
        self._autopilot: tuple[int, int] | None = None  # system, component
        self._heartbeat_s = 0.0
        self._details_s: float | None = None

    @property
    def system(self) -> int | None:
        """The system id of the autopilot that is listened to; None before it was heard."""
        return self._autopilot[0] if self._autopilot is not None else None

    def take(self, datagram: bytes, now_s: float) -> list[BatteryHeard | StateHeard]:
        """Return what the autopilot says in a datagram."""
        heard = (self._heard(message, now_s) for message in self._messages(datagram))
        return [item for item in heard if item is not None]

    def _messages(self, datagram: bytes) -> Iterator[mavlink.MAVLink_message]:
        for number, frame in frames(datagram):
            if number not in _WANTED:
                continue
            try:
                yield self._codec.decode(bytearray(frame))
            except mavlink.MAVError:
                continue

    def _heard(
        self, message: mavlink.MAVLink_message, now_s: float
    ) -> BatteryHeard | StateHeard | None:
        sender = (message.get_srcSystem(), message.get_srcComponent())
        kind = message.get_type()
        if kind == "HEARTBEAT":
            return self._state(message, sender, now_s)
        if sender != self._autopilot:
            return None
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
    ) -> StateHeard | None:
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
        return StateHeard(armed, mavutil.mode_string_v10(message))


def frames(datagram: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the number of each message in a datagram, and its bytes; stops at what is none."""
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


def _details(message: mavlink.MAVLink_message) -> BatteryHeard | None:
    every_cell = (*message.voltages, *getattr(message, "voltages_ext", ()))
    cells = [volts for volts in every_cell if volts != _UNKNOWN_VOLTAGE]
    if message.id != 0 or not sum(cells):
        return None
    temperature = message.temperature
    return BatteryHeard(
        sum(cells) / 1000.0,
        _current(message.current_battery),
        None if temperature == _UNKNOWN_TEMPERATURE else temperature / 100.0,
    )


def _summary(message: mavlink.MAVLink_message) -> BatteryHeard | None:
    if message.voltage_battery in (0, _UNKNOWN_VOLTAGE):
        return None
    return BatteryHeard(message.voltage_battery / 1000.0, _current(message.current_battery), None)


def _current(centi_a: int) -> float | None:
    return None if centi_a == _UNKNOWN_CURRENT else centi_a / 100.0
