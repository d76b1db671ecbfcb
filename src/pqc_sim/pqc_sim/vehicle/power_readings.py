# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The messages about the battery, the supply and the health of the sensors."""

from __future__ import annotations

from random import Random

from pymavlink.dialects.v20 import ardupilotmega as mavlink

from pqc_sim.vehicle.flight import Flight

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


class PowerReadings:
    """Builds SYS_STATUS, BATTERY_STATUS and POWER_STATUS."""

    def __init__(self, flight: Flight, random: Random) -> None:
        """Read from the flight's battery; the random source makes the sensors' noise."""
        self._flight = flight
        self._random = random

    def sys_status(self) -> mavlink.MAVLink_message:
        """Sensors, load, and the battery in short."""
        battery = self._flight.battery
        healthy = _SENSORS
        if not self._flight.gps_ready:
            healthy &= ~mavlink.MAV_SYS_STATUS_SENSOR_GPS
        if self._flight.prearm_fault() is not None:
            healthy &= ~mavlink.MAV_SYS_STATUS_PREARM_CHECK
        return mavlink.MAVLink_sys_status_message(
            _SENSORS,
            _SENSORS,
            healthy,
            round(215 + self._random.uniform(-15, 15)),
            round(battery.voltage_v * 1000.0),
            round(battery.current_a * 100.0),
            round(battery.charge * 100.0),
            0,
            0,
            0,
            0,
            0,
            0,
        )

    def battery_status(self) -> mavlink.MAVLink_message:
        """Every cell, what was drawn and how long the rest lasts."""
        battery = self._flight.battery
        cells = [round(battery.cell_v * 1000.0)] * battery.cells
        cells += [_NO_CELL] * (_CELL_FIELDS - battery.cells)
        remaining_s = battery.remaining_s
        return mavlink.MAVLink_battery_status_message(
            0,
            mavlink.MAV_BATTERY_FUNCTION_ALL,
            mavlink.MAV_BATTERY_TYPE_LIPO,
            round(battery.temperature_c * 100.0),
            cells,
            round(battery.current_a * 100.0),
            round(battery.consumed_mah),
            round(battery.consumed_j / 100.0),
            round(battery.charge * 100.0),
            0 if remaining_s is None else min(round(remaining_s), 2**31 - 1),
            self._charge_state(),
        )

    def power_status(self) -> mavlink.MAVLink_message:
        """The supply of the flight controller itself, in mV."""
        supply = round(5080 + self._random.uniform(-20, 20))
        return mavlink.MAVLink_power_status_message(supply, 0, mavlink.MAV_POWER_STATUS_BRICK_VALID)

    def _charge_state(self) -> int:
        charge = self._flight.battery.charge
        if charge <= 0.1:
            return int(mavlink.MAV_BATTERY_CHARGE_STATE_CRITICAL)
        if charge <= 0.2:
            return int(mavlink.MAV_BATTERY_CHARGE_STATE_LOW)
        return int(mavlink.MAV_BATTERY_CHARGE_STATE_OK)
