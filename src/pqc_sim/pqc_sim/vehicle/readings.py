# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the telemetry messages from the state of the vehicle."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_sim.vehicle.flight import Flight
from pqc_sim.vehicle.mission import MissionProtocol
from pqc_sim.vehicle.modes import Mode

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
# Below this height a vehicle that climbs takes off.
_TAKE_OFF_M = 5.0
_CLIMBS_M_S = 0.2
_NO_CELL = 65535
_CELL_FIELDS = 10
_SENSORS = (
    mavlink.MAV_SYS_STATUS_SENSOR_3D_GYRO
    | mavlink.MAV_SYS_STATUS_SENSOR_3D_ACCEL
    | mavlink.MAV_SYS_STATUS_SENSOR_3D_MAG
    | mavlink.MAV_SYS_STATUS_SENSOR_ABSOLUTE_PRESSURE
    | mavlink.MAV_SYS_STATUS_SENSOR_GPS
    | mavlink.MAV_SYS_STATUS_SENSOR_MOTOR_OUTPUTS
    | mavlink.MAV_SYS_STATUS_SENSOR_RC_RECEIVER
    | mavlink.MAV_SYS_STATUS_AHRS
    | mavlink.MAV_SYS_STATUS_SENSOR_BATTERY
    | mavlink.MAV_SYS_STATUS_PREARM_CHECK
)


class Readings:
    """Builds each message by the method of its name. Times are monotonic, in ns."""

    def __init__(
        self, flight: Flight, protocol: MissionProtocol, boot_ns: int, wall_ns: int, random: Random
    ) -> None:
        """Read from these parts; `wall_ns` is the wall clock's time at `boot_ns`."""
        self._flight = flight
        self._mission = protocol
        self._boot_ns = self._now_ns = boot_ns
        self._wall_ns = wall_ns
        self._random = random

    def set_time(self, now_ns: int) -> None:
        self._now_ns = now_ns

    def has(self, name: str) -> bool:
        """Return whether there is a message of a name, such as SYS_STATUS."""
        return name.lower() in vars(Readings)

    def message(self, name: str) -> mavlink.MAVLink_message:
        build: Callable[[], mavlink.MAVLink_message] = getattr(self, name.lower())
        return build()

    @property
    def _ms(self) -> int:
        return (self._now_ns - self._boot_ns) // 1_000_000 % (1 << 32)

    @property
    def _us(self) -> int:
        return (self._now_ns - self._boot_ns) // 1000

    def _noise(self, spread: float) -> float:
        return self._random.uniform(-spread, spread)

    def heartbeat(self) -> mavlink.MAVLink_message:
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

    def attitude(self) -> mavlink.MAVLink_message:
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

    def attitude_quaternion(self) -> mavlink.MAVLink_message:
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

    def raw_imu(self) -> mavlink.MAVLink_message:
        body = self._flight.body
        spread = 12.0 if self._flight.armed else 2.0
        lift = _GRAVITY_MILLI * (1.0 - body.acceleration.down / 9.80665)
        readings = (
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
        return mavlink.MAVLink_raw_imu_message(self._us, *readings, 0, 4300)

    def global_position_int(self) -> mavlink.MAVLink_message:
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

    def gps_raw_int(self) -> mavlink.MAVLink_message:
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

    def local_position_ned(self) -> mavlink.MAVLink_message:
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

    def home_position(self) -> mavlink.MAVLink_message:
        home = self._flight.body.home
        return mavlink.MAVLink_home_position_message(
            round(home.latitude * _DEGREES),
            round(home.longitude * _DEGREES),
            round(home.altitude * 1000.0),
            *(0.0, 0.0, 0.0, (1.0, 0.0, 0.0, 0.0), 0.0, 0.0, 0.0),
            self._us,
        )

    def vfr_hud(self) -> mavlink.MAVLink_message:
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

    def extended_sys_state(self) -> mavlink.MAVLink_message:
        return mavlink.MAVLink_extended_sys_state_message(
            mavlink.MAV_VTOL_STATE_UNDEFINED, self._landed_state()
        )

    def _landed_state(self) -> int:
        flight = self._flight
        if not flight.flying:
            return int(mavlink.MAV_LANDED_STATE_ON_GROUND)
        if flight.mode is Mode.LAND:
            return int(mavlink.MAV_LANDED_STATE_LANDING)
        climbs = flight.body.velocity.down < -_CLIMBS_M_S
        if climbs and flight.body.height < _TAKE_OFF_M:
            return int(mavlink.MAV_LANDED_STATE_TAKEOFF)
        return int(mavlink.MAV_LANDED_STATE_IN_AIR)

    def nav_controller_output(self) -> mavlink.MAVLink_message:
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

    def ekf_status_report(self) -> mavlink.MAVLink_message:
        flags = _EKF_GOOD if self._flight.gps_ready else _EKF_NO_POSITION
        return mavlink.MAVLink_ekf_status_report_message(
            flags,
            0.04 + abs(self._noise(0.02)),
            0.03 + abs(self._noise(0.02)),
            0.02 + abs(self._noise(0.01)),
            0.05 + abs(self._noise(0.02)),
            0.0,
        )

    def scaled_pressure(self) -> mavlink.MAVLink_message:
        height = self._flight.body.place.altitude
        pressure = 1013.25 * (1.0 - 2.25577e-5 * height) ** 5.25588
        return mavlink.MAVLink_scaled_pressure_message(
            self._ms, pressure + self._noise(0.02), 0.0, 3450
        )

    def servo_output_raw(self) -> mavlink.MAVLink_message:
        body = self._flight.body
        pulses = [0] * 4
        if self._flight.armed:
            base = 1000 + round(1000 * body.throttle)
            lean = (-body.roll, body.roll, body.pitch, -body.pitch)
            pulses = [min(2000, max(1000, base + round(300 * part))) for part in lean]
        return mavlink.MAVLink_servo_output_raw_message(
            self._us % (1 << 32), 0, *pulses, 0, 0, 0, 0
        )

    def rc_channels(self) -> mavlink.MAVLink_message:
        throttle = 1500 if self._flight.flying else 1000
        sticks = (1500, 1500, throttle, 1500, 1800, 1000, 1000, 1800)
        return mavlink.MAVLink_rc_channels_message(self._ms, 16, *sticks, *(0,) * 10, 242)

    def system_time(self) -> mavlink.MAVLink_message:
        wall_us = (self._wall_ns + self._now_ns - self._boot_ns) // 1000
        return mavlink.MAVLink_system_time_message(wall_us, self._ms)

    def autopilot_version(self) -> mavlink.MAVLink_message:
        return mavlink.MAVLink_autopilot_version_message(
            _CAPABILITIES, _VERSION, 0, 0, 0, (0,) * 8, (0,) * 8, (0,) * 8, 0, 0, 1
        )

    def sys_status(self) -> mavlink.MAVLink_message:
        battery = self._flight.battery
        healthy = _SENSORS
        if not self._flight.gps_ready:
            healthy &= ~mavlink.MAV_SYS_STATUS_SENSOR_GPS
        if self._flight.prearm_fault() is not None:
            healthy &= ~mavlink.MAV_SYS_STATUS_PREARM_CHECK
        return mavlink.MAVLink_sys_status_message(
            *(_SENSORS, _SENSORS, healthy),
            round(215 + self._noise(15)),
            round(battery.voltage_v * 1000.0),
            round(battery.current_a * 100.0),
            round(battery.charge * 100.0),
            *(0,) * 6,
        )

    def battery_status(self) -> mavlink.MAVLink_message:
        battery = self._flight.battery
        cells = [round(battery.voltage_v * 1000.0 / battery.kind.cells)] * battery.kind.cells
        state = mavlink.MAV_BATTERY_CHARGE_STATE_OK
        if battery.charge <= 0.2:
            state = mavlink.MAV_BATTERY_CHARGE_STATE_LOW
        if battery.charge <= 0.1:
            state = mavlink.MAV_BATTERY_CHARGE_STATE_CRITICAL
        return mavlink.MAVLink_battery_status_message(
            0,
            mavlink.MAV_BATTERY_FUNCTION_ALL,
            mavlink.MAV_BATTERY_TYPE_LIPO,
            round(battery.temperature_c * 100.0),
            cells + [_NO_CELL] * (_CELL_FIELDS - len(cells)),
            round(battery.current_a * 100.0),
            round(battery.consumed_ah * 1000.0),
            round(battery.consumed_j / 100.0),
            round(battery.charge * 100.0),
            min(round(battery.remaining_s or 0.0), 2**31 - 1),
            state,
        )

    def mission_current(self) -> mavlink.MAVLink_message:
        return self._mission.current_message()

    def timesync(self) -> mavlink.MAVLink_message:
        return mavlink.MAVLink_timesync_message(0, self._now_ns)


def _clip16(value: float) -> float:
    return min(max(value, -32768.0), 32767.0)
