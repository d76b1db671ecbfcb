# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The names of the flight modes that ArduPilot and PX4 number; pymavlink has the same ones."""

from __future__ import annotations

_CUSTOM = 0x01  # MAV_MODE_FLAG_CUSTOM_MODE_ENABLED
_PX4 = 12  # MAV_AUTOPILOT_PX4


def _numbered(names: str) -> dict[int, str]:
    """Return the names by their place; a point stands for a number without a mode."""
    return {number: name for number, name in enumerate(names.split()) if name != "."}


_COPTER = _numbered(
    "STABILIZE ACRO ALT_HOLD AUTO GUIDED LOITER RTL CIRCLE POSITION LAND OF_LOITER DRIFT . SPORT "
    "FLIP AUTOTUNE POSHOLD BRAKE THROW AVOID_ADSB GUIDED_NOGPS SMART_RTL FLOWHOLD FOLLOW ZIGZAG "
    "SYSTEMID AUTOROTATE AUTO_RTL TURTLE RATE_ACRO"
)
_PLANE = _numbered(
    "MANUAL CIRCLE STABILIZE TRAINING ACRO FBWA FBWB CRUISE AUTOTUNE . AUTO RTL LOITER TAKEOFF "
    "AVOID_ADSB GUIDED INITIALISING QSTABILIZE QHOVER QLOITER QLAND QRTL QAUTOTUNE QACRO THERMAL "
    "LOITERALTQLAND AUTOLAND"
)
_ROVER = _numbered(
    "MANUAL ACRO LEARNING STEERING HOLD LOITER FOLLOW SIMPLE DOCK CIRCLE AUTO RTL SMART_RTL . . "
    "GUIDED INITIALISING"
)
_SUB = _numbered(
    "STABILIZE ACRO ALT_HOLD AUTO GUIDED . . CIRCLE . SURFACE . . . . . . POSHOLD . . MANUAL"
)
_BLIMP = _numbered("LAND MANUAL VELOCITY LOITER RTL AUTO HOLD")
# The modes of each MAV_TYPE.
_ARDUPILOT = {
    **dict.fromkeys((2, 3, 4, 13, 14, 15, 29, 35), _COPTER),
    **dict.fromkeys((1, 19, 20, 21), _PLANE),
    **dict.fromkeys((10, 11), _ROVER),
    7: _BLIMP,
    12: _SUB,
}
_PX4_MAIN = _numbered(". MANUAL ALTCTL POSCTL . ACRO OFFBOARD STABILIZED RATTITUDE")
_PX4_AUTO, _PX4_SUB = 4, _numbered(". . TAKEOFF LOITER MISSION RTL LAND RTGS FOLLOWME")


def mode_name(kind: int, autopilot: int, base_mode: int, custom_mode: int) -> str:
    """Return the name of the mode in a heartbeat: the fields type, autopilot and of the mode."""
    if autopilot == _PX4:
        main, sub = custom_mode >> 16 & 0xFF, custom_mode >> 24
        names, number = (_PX4_SUB, sub) if main == _PX4_AUTO else (_PX4_MAIN, main)
        return names.get(number, "UNKNOWN")
    if not base_mode & _CUSTOM:
        return f"Mode(0x{base_mode:08x})"
    return _ARDUPILOT.get(kind, {}).get(custom_mode, f"Mode({custom_mode})")
