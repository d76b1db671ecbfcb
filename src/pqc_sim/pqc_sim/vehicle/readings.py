# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Turns the state of the vehicle into the messages that tell it."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_sim.vehicle.flight import Flight
from pqc_sim.vehicle.mission import MissionProtocol
from pqc_sim.vehicle.modes import Mode
from pqc_sim.vehicle.power_readings import PowerReadings

_DEGREES = 1e7
_GRAVITY_MILLI = 1000.0
_CAPABILITIES = (
    mavlink.MAV_PROTOCOL_CAPABILITY_MISSION_FLOAT
    | mavlink.MAV_PROTOCOL_CAPABILITY_PARAM_FLOAT
    | mavlink.MAV_PROTOCOL_CAPABILITY_MISSION_INT
    | mavlink.MAV_PROTOCOL_CAPABILITY_COMMAND_INT
    | mavlink.MAV_PROTOCOL_CAPABILITY_MAVLINK2
)
_VERSION = (4 << 24) | (5 << 16) | (7 << 8) | mavlink.FIRMWARE_VERSION_TYPE_OFFICIAL
_EKF_GOOD = (
    mavlink.ESTIMATOR_ATTITUDE
    | mavlink.ESTIMATOR_VELOCITY_HORIZ
    | mavlink.ESTIMATOR_VELOCITY_VERT
    | mavlink.ESTIMATOR_POS_HORIZ_REL
    | mavlink.ESTIMATOR_POS_HORIZ_ABS
    | mavlink.ESTIMATOR_POS_VERT_ABS
)
_EKF_NO_POSITION = mavlink.ESTIMATOR_ATTITUDE | mavlink.ESTIMATOR_CONST_POS_MODE


class Readings:
    """Builds each message by its name. Times are monotonic, in ns."""

    def __init__(
        self, flight: Flight, protocol: MissionProtocol, boot_ns: int, wall_ns: int, random: Random
    ) -> None:
        """Read from these parts; `wall_ns` is the wall clock's time at `boot_ns`."""
        self._flight = flight
        self._mission = protocol
        self._power = PowerReadings(flight, random)
        self._boot_ns = boot_ns
        self._now_ns = boot_ns
        self._wall_ns = wall_ns
        self._random = random
        self._builders: dict[str, Callable[[], mavlink.MAVLink_message]] = {
            "AHRS2": self._ahrs2,
            "ATTITUDE": self._attitude,
            "ATTITUDE_QUATERNION": self._attitude_quaternion,
            "AUTOPILOT_VERSION": self._autopilot_version,
            "BATTERY_STATUS": self._power.battery_status,
            "EKF_STATUS_REPORT": self._ekf_status,
            "GLOBAL_POSITION_INT": self._global_position,
            "GPS_RAW_INT": self._gps_raw,
            "HEARTBEAT": self._heartbeat,
            "HOME_POSITION": self._home_position,
            "LOCAL_POSITION_NED": self._local_position,
            "MEMINFO": lambda: mavlink.MAVLink_meminfo_message(0, 65535, 181_248),
            "MISSION_CURRENT": self._mission.current_message,
            "NAV_CONTROLLER_OUTPUT": self._nav_controller,
            "POWER_STATUS": self._power.power_status,
            "RAW_IMU": self._raw_imu,
            "RC_CHANNELS": self._rc_channels,
            "SCALED_IMU2": self._scaled_imu2,
            "SCALED_PRESSURE": self._scaled_pressure,
            "SERVO_OUTPUT_RAW": self._servo_output,
            "SYSTEM_TIME": self._system_time,
            "SYS_STATUS": self._power.sys_status,
            "TIMESYNC": lambda: mavlink.MAVLink_timesync_message(0, self._now_ns),
            "VFR_HUD": self._vfr_hud,
            "VIBRATION": self._vibration,
        }

    @property
    def names(self) -> frozenset[str]:
        """The names of all messages that can be built."""
        return frozenset(self._builders)

    def set_time(self, now_ns: int) -> None:
        """Tell what time it is."""
        self._now_ns = now_ns

    def message(self, name: str) -> mavlink.MAVLink_message:
        """Return the message of that name, as things stand."""
        return self._builders[name]()

    @property
    def _ms(self) -> int:
        return (self._now_ns - self._boot_ns) // 1_000_000 % (1 << 32)

    @property
    def _us(self) -> int:
        return (self._now_ns - self._boot_ns) // 1000

    def _noise(self, spread: float) -> float:
        return self._random.uniform(-spread, spread)

    def _heartbeat(self) -> mavlink.MAVLink_message:
        flight = self._flight
        base = mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED | mavlink.MAV_MODE_FLAG_STABILIZE_ENABLED
        if flight.mode in (Mode.AUTO, Mode.GUIDED, Mode.RTL, Mode.LAND):
            base |= mavlink.MAV_MODE_FLAG_GUIDED_ENABLED
        if flight.armed:
            base |= mavlink.MAV_MODE_FLAG_SAFETY_ARMED
        state = mavlink.MAV_STATE_ACTIVE if flight.armed else mavlink.MAV_STATE_STANDBY
        return mavlink.MAVLink_heartbeat_message(
            mavlink.MAV_TYPE_QUADROTOR,
            mavlink.MAV_AUTOPILOT_ARDUPILOTMEGA,
            base,
            int(flight.mode),
            state,
            3,
        )

    def _attitude(self) -> mavlink.MAVLink_message:
        body = self._flight.body
        return mavlink.MAVLink_attitude_message(
            self._ms,
            body.roll + self._noise(0.002),
            body.pitch + self._noise(0.002),
            math.remainder(body.yaw, math.tau),
            body.roll_rate + self._noise(0.004),
            body.pitch_rate + self._noise(0.004),
            body.yaw_rate + self._noise(0.004),
        )

    def _attitude_quaternion(self) -> mavlink.MAVLink_message:
        body = self._flight.body
        cr, sr = math.cos(body.roll / 2), math.sin(body.roll / 2)
        cp, sp = math.cos(body.pitch / 2), math.sin(body.pitch / 2)
        cy, sy = math.cos(body.yaw / 2), math.sin(body.yaw / 2)
        return mavlink.MAVLink_attitude_quaternion_message(
            self._ms,
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
            body.roll_rate,
            body.pitch_rate,
            body.yaw_rate,
        )

    def _ahrs2(self) -> mavlink.MAVLink_message:
        body = self._flight.body
        place = body.place
        return mavlink.MAVLink_ahrs2_message(
            body.roll,
            body.pitch,
            math.remainder(body.yaw, math.tau),
            place.altitude,
            round(place.latitude * _DEGREES),
            round(place.longitude * _DEGREES),
        )

    def _imu(self) -> tuple[int, ...]:
        body = self._flight.body
        spread = 12.0 if self._flight.armed else 2.0
        lift = _GRAVITY_MILLI * (1.0 - body.acceleration.down / 9.80665)
        return (
            round(_GRAVITY_MILLI * math.sin(body.pitch) + self._noise(spread)),
            round(-_GRAVITY_MILLI * math.sin(body.roll) + self._noise(spread)),
            round(-lift + self._noise(spread)),
            round(_clip16(1000.0 * body.roll_rate + self._noise(2.0))),
            round(_clip16(1000.0 * body.pitch_rate + self._noise(2.0))),
            round(_clip16(1000.0 * body.yaw_rate + self._noise(2.0))),
            round(230.0 * math.cos(body.yaw) + self._noise(1.0)),
            round(-230.0 * math.sin(body.yaw) + self._noise(1.0)),
            round(-530.0 + self._noise(1.0)),
        )

    def _raw_imu(self) -> mavlink.MAVLink_message:
        return mavlink.MAVLink_raw_imu_message(self._us, *self._imu(), 0, 4300)

    def _scaled_imu2(self) -> mavlink.MAVLink_message:
        return mavlink.MAVLink_scaled_imu2_message(self._ms, *self._imu(), 4250)

    def _global_position(self) -> mavlink.MAVLink_message:
        body = self._flight.body
        place = body.place
        return mavlink.MAVLink_global_position_int_message(
            self._ms,
            round(place.latitude * _DEGREES),
            round(place.longitude * _DEGREES),
            round(place.altitude * 1000.0),
            round(body.height * 1000.0),
            round(body.velocity.north * 100.0),
            round(body.velocity.east * 100.0),
            round(body.velocity.down * 100.0),
            round(math.degrees(body.yaw) * 100.0) % 36000,
        )

    def _gps_raw(self) -> mavlink.MAVLink_message:
        body = self._flight.body
        if not self._flight.gps_ready:
            return mavlink.MAVLink_gps_raw_int_message(
                self._us, mavlink.GPS_FIX_TYPE_NO_FIX, 0, 0, 0, 65535, 65535, 0, 0, 3
            )
        place = body.place
        course = math.atan2(body.velocity.east, body.velocity.north) % math.tau
        return mavlink.MAVLink_gps_raw_int_message(
            self._us,
            mavlink.GPS_FIX_TYPE_3D_FIX,
            round((place.latitude + self._noise(4e-6)) * _DEGREES),
            round((place.longitude + self._noise(4e-6)) * _DEGREES),
            round(place.altitude * 1000.0 + self._noise(300.0)),
            72,
            118,
            round(body.velocity.horizontal * 100.0),
            round(math.degrees(course) * 100.0) % 36000,
            17,
        )

    def _local_position(self) -> mavlink.MAVLink_message:
        body = self._flight.body
        velocity = body.velocity
        return mavlink.MAVLink_local_position_ned_message(
            self._ms,
            body.north,
            body.east,
            -body.height,
            velocity.north,
            velocity.east,
            velocity.down,
        )

    def _home_position(self) -> mavlink.MAVLink_message:
        home = self._flight.body.home
        return mavlink.MAVLink_home_position_message(
            round(home.latitude * _DEGREES),
            round(home.longitude * _DEGREES),
            round(home.altitude * 1000.0),
            0.0,
            0.0,
            0.0,
            (1.0, 0.0, 0.0, 0.0),
            0.0,
            0.0,
            0.0,
            self._us,
        )

    def _vfr_hud(self) -> mavlink.MAVLink_message:
        body = self._flight.body
        speed = body.velocity.horizontal
        return mavlink.MAVLink_vfr_hud_message(
            speed,
            speed,
            round(math.degrees(body.yaw)) % 360,
            round(body.throttle * 100.0),
            body.place.altitude,
            -body.velocity.down,
        )

    def _nav_controller(self) -> mavlink.MAVLink_message:
        body, target = self._flight.body, self._flight.target
        north, east = target.north - body.north, target.east - body.east
        bearing = round(math.degrees(math.atan2(east, north)))
        return mavlink.MAVLink_nav_controller_output_message(
            math.degrees(body.roll),
            math.degrees(body.pitch),
            bearing,
            bearing,
            min(65535, round(math.hypot(north, east))),
            target.height - body.height,
            0.0,
            0.0,
        )

    def _ekf_status(self) -> mavlink.MAVLink_message:
        flags = _EKF_GOOD if self._flight.gps_ready else _EKF_NO_POSITION
        return mavlink.MAVLink_ekf_status_report_message(
            flags,
            0.04 + abs(self._noise(0.02)),
            0.03 + abs(self._noise(0.02)),
            0.02 + abs(self._noise(0.01)),
            0.05 + abs(self._noise(0.02)),
            0.0,
        )

    def _vibration(self) -> mavlink.MAVLink_message:
        level = 8.0 * self._flight.body.throttle
        return mavlink.MAVLink_vibration_message(
            self._us, *(level * (1.0 + self._noise(0.2)) for _ in range(3)), 0, 0, 0
        )

    def _scaled_pressure(self) -> mavlink.MAVLink_message:
        height = self._flight.body.place.altitude
        pressure = 1013.25 * (1.0 - 2.25577e-5 * height) ** 5.25588
        return mavlink.MAVLink_scaled_pressure_message(
            self._ms, pressure + self._noise(0.02), 0.0, 3450
        )

    def _servo_output(self) -> mavlink.MAVLink_message:
        body = self._flight.body
        pulses = [0] * 4
        if self._flight.armed:
            base = 1000 + round(1000 * body.throttle)
            lean = (-body.roll, body.roll, body.pitch, -body.pitch)
            pulses = [min(2000, max(1000, base + round(300 * part))) for part in lean]
        return mavlink.MAVLink_servo_output_raw_message(
            self._us % (1 << 32), 0, *pulses, 0, 0, 0, 0
        )

    def _rc_channels(self) -> mavlink.MAVLink_message:
        throttle = 1500 if self._flight.flying else 1000
        sticks = (1500, 1500, throttle, 1500, 1800, 1000, 1000, 1800)
        return mavlink.MAVLink_rc_channels_message(self._ms, 16, *sticks, *(0,) * 10, 242)

    def _system_time(self) -> mavlink.MAVLink_message:
        wall_us = (self._wall_ns + self._now_ns - self._boot_ns) // 1000
        return mavlink.MAVLink_system_time_message(wall_us, self._ms)

    def _autopilot_version(self) -> mavlink.MAVLink_message:
        return mavlink.MAVLink_autopilot_version_message(
            _CAPABILITIES, _VERSION, 0, 0, 0, (0,) * 8, (0,) * 8, (0,) * 8, 0, 0, 1
        )


def _clip16(value: float) -> float:
    return min(max(value, -32768.0), 32767.0)
