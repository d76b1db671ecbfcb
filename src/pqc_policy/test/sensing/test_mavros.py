# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from typing import Any

import pytest
from mavros_messages import UINT16_MAX, SystemStatusPlugin
from pqc_policy.sensing.battery.mavros import battery_of
from pqc_policy.sensing.battery.monitor import BatteryMonitor
from pqc_policy.sensing.battery.predictor import BatteryPredictor, Pack
from pqc_policy.sensing.battery.reading import BatteryReading
from sensor_msgs.msg import BatteryState
from unknown_currents import UNKNOWN_CURRENTS

CELLS = (3900, 3900, 3900, 3900)


def reading_of(message: BatteryState | None) -> BatteryReading:
    assert message is not None
    battery = battery_of(message)
    assert battery is not None
    return battery


def test_voltage_and_current_equal_the_autopilots() -> None:
    reading = reading_of(SystemStatusPlugin().sys_status(15900, 1200, 80))
    assert (reading.voltage_v, reading.current_a) == (pytest.approx(15.9), pytest.approx(12.0))
    reading = reading_of(SystemStatusPlugin().battery_status(CELLS, 1650, 80))
    assert (reading.voltage_v, reading.current_a) == (pytest.approx(15.6), pytest.approx(16.5))


def test_a_temperature_that_mavros_never_sets_is_unknown() -> None:
    message = SystemStatusPlugin().battery_status(CELLS, 1650, temperature=3120)
    assert message.temperature == 0.0
    assert reading_of(message).temperature_c is None


def test_a_temperature_that_another_publisher_sets_is_used() -> None:
    reading = reading_of(BatteryState(voltage=15.6, current=-16.5, temperature=-3.5))
    assert reading.temperature_c == -3.5


@pytest.mark.parametrize("centiamperes", UNKNOWN_CURRENTS)
def test_a_current_that_the_autopilot_does_not_know_is_unknown(centiamperes: int) -> None:
    for message in (
        SystemStatusPlugin().sys_status(15900, centiamperes),
        SystemStatusPlugin().battery_status(CELLS, centiamperes),
    ):
        # MAVROS shows it as a current.
        assert message.current == pytest.approx(-centiamperes / 100.0)
        assert reading_of(message).current_a is None


def test_a_current_that_is_no_number_is_unknown() -> None:
    assert reading_of(BatteryState(voltage=15.9, current=math.nan)).current_a is None


@pytest.mark.parametrize("centiamperes", [-200, -2, 0, 1, 100, 32766])
def test_every_other_current_is_known(centiamperes: int) -> None:
    reading = reading_of(SystemStatusPlugin().sys_status(15900, centiamperes))
    assert reading.current_a == pytest.approx(centiamperes / 100.0)


def test_a_battery_without_a_voltage_is_ignored() -> None:
    for message in (
        SystemStatusPlugin().battery_status(),
        SystemStatusPlugin().battery_status((0,) * 10, 1650),
        SystemStatusPlugin().sys_status(0),
        SystemStatusPlugin().sys_status(UINT16_MAX),
        BatteryState(voltage=math.nan),
    ):
        assert message is not None
        assert battery_of(message) is None


def test_the_voltage_of_a_high_pack_is_known() -> None:
    reading = reading_of(SystemStatusPlugin().battery_status((UINT16_MAX - 1, 10000), 1650))
    assert reading.voltage_v == pytest.approx(75.534)
    reading = reading_of(
        SystemStatusPlugin().battery_status((4000,) * 10, 1650, more_cells=(4000,) * 4)
    )
    assert reading.voltage_v == pytest.approx(56.0)


def test_values_that_the_autopilot_leaves_unset_change_nothing() -> None:
    bare = BatteryState(voltage=reading_of(SystemStatusPlugin().sys_status(15900)).voltage_v)
    bare.current = -12.0
    unset: dict[str, Any] = {
        "percentage": -0.01,
        "charge": math.nan,
        "capacity": math.nan,
        "design_capacity": math.nan,
        "present": True,
        "power_supply_status": BatteryState.POWER_SUPPLY_STATUS_DISCHARGING,
    }
    full = BatteryState(voltage=bare.voltage, current=bare.current, **unset)
    assert battery_of(full) == battery_of(bare)


def last_prediction(messages: list[BatteryState | None]) -> Any:
    monitor, report = BatteryMonitor(BatteryPredictor(Pack())), None
    for second, message in enumerate(messages):
        monitor, report = monitor.taken(float(second), reading_of(message))
    return report.prediction


def test_time_left_is_predicted_as_for_an_unknown_temperature() -> None:
    mavros = SystemStatusPlugin()
    prediction = last_prediction(
        [mavros.battery_status(CELLS, 1650, temperature=2500) for _ in range(60)]
    )
    monitor, report = BatteryMonitor(BatteryPredictor(Pack())), None
    for second in range(60):
        monitor, report = monitor.taken(float(second), BatteryReading(15.6, 16.5, 25.0))
    assert report is not None and report.prediction is not None
    assert prediction.endurance_s == pytest.approx(report.prediction.endurance_s, rel=0.01)


def test_without_a_known_current_there_is_no_prediction() -> None:
    mavros = SystemStatusPlugin()
    assert last_prediction([mavros.sys_status(15300) for _ in range(60)]) is None
