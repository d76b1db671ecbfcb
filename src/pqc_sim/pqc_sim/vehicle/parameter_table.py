# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of the simulated vehicle, with the names, units and ranges of ArduCopter."""

from __future__ import annotations

from enum import IntEnum
from itertools import islice
from typing import NamedTuple

from pymavlink.dialects.v20 import ardupilotmega as mavlink


class Kind(IntEnum):
    """The type that a parameter is stored as."""

    INT8 = mavlink.MAV_PARAM_TYPE_INT8
    INT16 = mavlink.MAV_PARAM_TYPE_INT16
    INT32 = mavlink.MAV_PARAM_TYPE_INT32
    REAL = mavlink.MAV_PARAM_TYPE_REAL32


class Entry(NamedTuple):
    """One parameter: its value at first start and the values it may take."""

    name: str
    default: float
    low: float
    high: float
    kind: Kind = Kind.REAL


_I8, _I16, _I32 = Kind.INT8, Kind.INT16, Kind.INT32

TABLE: tuple[Entry, ...] = (
    Entry("AHRS_EKF_TYPE", 3, 0, 11, _I8),
    Entry("AHRS_TRIM_X", 0.0031, -0.1745, 0.1745),
    Entry("AHRS_TRIM_Y", -0.0042, -0.1745, 0.1745),
    Entry("ANGLE_MAX", 3000, 1000, 8000, _I16),
    Entry("ARMING_CHECK", 1, 0, 1048575, _I32),
    Entry("ATC_ANG_PIT_P", 4.5, 3.0, 12.0),
    Entry("ATC_ANG_RLL_P", 4.5, 3.0, 12.0),
    Entry("ATC_ANG_YAW_P", 4.5, 3.0, 12.0),
    Entry("ATC_RAT_PIT_D", 0.0036, 0.0, 0.05),
    Entry("ATC_RAT_PIT_I", 0.135, 0.01, 2.0),
    Entry("ATC_RAT_PIT_P", 0.135, 0.01, 0.5),
    Entry("ATC_RAT_RLL_D", 0.0036, 0.0, 0.05),
    Entry("ATC_RAT_RLL_I", 0.135, 0.01, 2.0),
    Entry("ATC_RAT_RLL_P", 0.135, 0.01, 0.5),
    Entry("ATC_RAT_YAW_D", 0.0, 0.0, 0.02),
    Entry("ATC_RAT_YAW_I", 0.018, 0.01, 1.0),
    Entry("ATC_RAT_YAW_P", 0.18, 0.1, 2.5),
    Entry("BATT_ARM_VOLT", 14.2, 0.0, 60.0),
    Entry("BATT_CAPACITY", 5200, 100, 100000, _I32),
    Entry("BATT_CRT_VOLT", 13.6, 0.0, 60.0),
    Entry("BATT_FS_CRT_ACT", 1, 0, 7, _I8),
    Entry("BATT_FS_LOW_ACT", 2, 0, 7, _I8),
    Entry("BATT_LOW_TIMER", 10, 0, 120, _I8),
    Entry("BATT_LOW_VOLT", 14.0, 0.0, 60.0),
    Entry("BATT_MONITOR", 4, 0, 28, _I8),
    Entry("COMPASS_OFS_X", 12.4, -400.0, 400.0),
    Entry("COMPASS_OFS_Y", -31.7, -400.0, 400.0),
    Entry("COMPASS_OFS_Z", 8.9, -400.0, 400.0),
    Entry("COMPASS_USE", 1, 0, 1, _I8),
    Entry("DISARM_DELAY", 10, 0, 127, _I8),
    Entry("EK3_ENABLE", 1, 0, 1, _I8),
    Entry("EK3_IMU_MASK", 3, 1, 127, _I8),
    Entry("FENCE_ENABLE", 0, 0, 1, _I8),
    Entry("FLTMODE1", 5, 0, 27, _I8),
    Entry("FLTMODE2", 16, 0, 27, _I8),
    Entry("FLTMODE3", 3, 0, 27, _I8),
    Entry("FRAME_CLASS", 1, 0, 17, _I8),
    Entry("FRAME_TYPE", 1, 0, 19, _I8),
    Entry("FS_EKF_ACTION", 1, 0, 3, _I8),
    Entry("FS_GCS_ENABLE", 1, 0, 7, _I8),
    Entry("FS_GCS_TIMEOUT", 5.0, 2.0, 120.0),
    Entry("FS_THR_ENABLE", 1, 0, 7, _I8),
    Entry("GPS_TYPE", 1, 0, 26, _I8),
    Entry("INS_GYRO_FILTER", 40, 0, 256, _I16),
    Entry("LAND_ALT_LOW", 1000.0, 100.0, 10000.0),
    Entry("LAND_SPEED", 50, 30, 200, _I16),
    Entry("LOG_BITMASK", 176126, 0, 2147483647, _I32),
    Entry("MOT_BAT_VOLT_MAX", 16.8, 6.0, 53.0),
    Entry("MOT_BAT_VOLT_MIN", 13.2, 6.0, 42.0),
    Entry("MOT_PWM_MAX", 2000, 0, 2000, _I16),
    Entry("MOT_PWM_MIN", 1000, 0, 2000, _I16),
    Entry("MOT_THST_HOVER", 0.38, 0.125, 0.6875),
    Entry("PILOT_SPEED_UP", 250, 50, 500, _I16),
    Entry("PSC_POSXY_P", 1.0, 0.5, 2.0),
    Entry("PSC_POSZ_P", 1.0, 1.0, 3.0),
    Entry("RTL_ALT", 1500, 30, 300000, _I32),
    Entry("SCHED_LOOP_RATE", 400, 50, 400, _I16),
    Entry("SYSID_MYGCS", 255, 1, 255, _I16),
    Entry("SYSID_THISMAV", 1, 1, 255, _I16),
    Entry("WPNAV_RADIUS", 200.0, 5.0, 1000.0),
    Entry("WPNAV_SPEED", 1000.0, 20.0, 2000.0),
    Entry("WPNAV_SPEED_DN", 150.0, 10.0, 500.0),
    Entry("WPNAV_SPEED_UP", 250.0, 10.0, 1000.0),
)
_GROUPS = ("SERVO", "RC", "SERIAL", "BATT", "RNGFND", "ARSPD", "CAM", "MNT")
_FIELDS = ("TYPE", "MIN", "MAX", "TRIM", "OPTIONS", "RATE", "SCALE", "OFS")


def filled_table(count: int) -> tuple[Entry, ...]:
    """Return the table, filled up with numbered parameters as a real vehicle has them."""
    names = (f"{g}{number}_{f}" for number in range(1, 100) for g in _GROUPS for f in _FIELDS)
    more = islice(names, max(0, count - len(TABLE)))
    return (*TABLE, *(Entry(name, number, 0, 65535) for number, name in enumerate(more)))
