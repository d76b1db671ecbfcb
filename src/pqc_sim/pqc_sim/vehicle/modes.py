# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The flight modes of a copter, with their MAVLink numbers."""

from __future__ import annotations

from enum import IntEnum


class Mode(IntEnum):
    """Custom mode numbers of ArduCopter."""

    STABILIZE = 0
    ALT_HOLD = 2
    AUTO = 3
    GUIDED = 4
    LOITER = 5
    RTL = 6
    LAND = 9
    POSHOLD = 16
    BRAKE = 17


ARMABLE = frozenset({Mode.STABILIZE, Mode.ALT_HOLD, Mode.GUIDED, Mode.LOITER, Mode.POSHOLD})
