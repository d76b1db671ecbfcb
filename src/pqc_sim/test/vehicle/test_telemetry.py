# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections import Counter

import pytest
from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions
from pymavlink.dialects.v20 import ardupilotmega as mavlink
from station import Station


def station_at(rate_hz: int) -> Station:
    station = Station(Vehicle(VehicleOptions(rate_hz=rate_hz), 0, 0))
    station.heartbeats = False
    return station


@pytest.mark.parametrize("rate_hz", [1, 10, 320, 1000])
def test_the_total_rate_is_the_chosen_one(rate_hz: int) -> None:
    station = station_at(rate_hz)
    assert len(station.run(10.0)) == 10 * rate_hz + 1


@pytest.mark.parametrize("rate_hz", [20, 320, 1000])
def test_the_heartbeat_comes_once_a_second_at_any_rate(rate_hz: int) -> None:
    station = station_at(rate_hz)
    station.run(10.0)
    assert len(station.all("HEARTBEAT")) == pytest.approx(10, abs=1)


def test_all_that_a_ground_station_wants_is_in_the_stream() -> None:
    station = station_at(320)
    kinds = Counter(message.get_type() for message in station.run(10.0))
    assert kinds["GLOBAL_POSITION_INT"] == pytest.approx(100, abs=1)
    for kind in (
        "ATTITUDE",
        "BATTERY_STATUS",
        "EKF_STATUS_REPORT",
        "GPS_RAW_INT",
        "RC_CHANNELS",
        "SERVO_OUTPUT_RAW",
        "SYS_STATUS",
        "VFR_HUD",
    ):
        assert kinds[kind] >= 10


def test_sequence_numbers_run_on_through_telemetry_and_answers() -> None:
    station = Station()
    station.run(1.0)
    station.send(mavlink.MAVLink_param_request_list_message(1, 1))
    station.run(2.0)
    numbers = [message.get_seq() for message in station.heard]
    assert numbers == [number % 256 for number in range(len(numbers))]
    assert station.vehicle.sent.as_dict()["datagrams"] == len(numbers)
    assert station.vehicle.sent.as_dict()["missing"] == 0


def test_the_vehicle_describes_itself_as_a_disarmed_ardupilot_quadcopter() -> None:
    station = station_at(320)
    station.run(2.0)
    heartbeat = station.last("HEARTBEAT")
    assert heartbeat.type == mavlink.MAV_TYPE_QUADROTOR
    assert heartbeat.autopilot == mavlink.MAV_AUTOPILOT_ARDUPILOTMEGA
    assert not heartbeat.base_mode & mavlink.MAV_MODE_FLAG_SAFETY_ARMED


def test_battery_messages_tell_a_draining_four_cell_pack() -> None:
    station = station_at(320)
    station.run(60.0)
    voltages = [message.voltage_battery for message in station.all("SYS_STATUS")]
    assert 13_000 < voltages[-1] <= voltages[5] <= 16_800
    first, last = station.all("BATTERY_STATUS")[0], station.last("BATTERY_STATUS")
    assert [cell for cell in last.voltages if cell != 65535] == [last.voltages[0]] * 4
    assert last.current_consumed > first.current_consumed


def test_a_requested_interval_is_kept_and_the_total_stays() -> None:
    station = station_at(320)
    number = mavlink.MAVLINK_MSG_ID_VFR_HUD
    accepted = station.command(mavlink.MAV_CMD_SET_MESSAGE_INTERVAL, number, 20_000)
    assert accepted == mavlink.MAV_RESULT_ACCEPTED
    heard = station.run(10.0)
    kinds = Counter(message.get_type() for message in heard)
    assert kinds["VFR_HUD"] == pytest.approx(500, abs=2)
    assert len(heard) == pytest.approx(3200, abs=1)
    station.command(mavlink.MAV_CMD_GET_MESSAGE_INTERVAL, number)
    assert station.last("MESSAGE_INTERVAL").interval_us == 20_000


def test_silence_and_the_usual_rate_can_be_asked_for() -> None:
    station = station_at(320)
    number = mavlink.MAVLINK_MSG_ID_ATTITUDE
    station.command(mavlink.MAV_CMD_SET_MESSAGE_INTERVAL, number, -1)
    assert "ATTITUDE" not in {message.get_type() for message in station.run(2.0)}
    station.command(mavlink.MAV_CMD_SET_MESSAGE_INTERVAL, number, 0)
    assert "ATTITUDE" in {message.get_type() for message in station.run(2.0)}


@pytest.mark.parametrize(
    ("number", "interval", "result"),
    [
        (mavlink.MAVLINK_MSG_ID_VFR_HUD, 100, mavlink.MAV_RESULT_DENIED),
        (mavlink.MAVLINK_MSG_ID_HEARTBEAT, -1, mavlink.MAV_RESULT_DENIED),
        (mavlink.MAVLINK_MSG_ID_CAMERA_SETTINGS, 1000, mavlink.MAV_RESULT_UNSUPPORTED),
    ],
)
def test_intervals_that_cannot_be_are_refused(number: int, interval: int, result: int) -> None:
    station = station_at(320)
    assert station.command(mavlink.MAV_CMD_SET_MESSAGE_INTERVAL, number, interval) == result


@pytest.mark.parametrize("name", ["AUTOPILOT_VERSION", "HOME_POSITION", "ATTITUDE"])
def test_a_message_can_be_requested_once(name: str) -> None:
    station = Station()
    number = getattr(mavlink, f"MAVLINK_MSG_ID_{name}")
    assert station.command(mavlink.MAV_CMD_REQUEST_MESSAGE, number) == 0
    assert station.heard[-1].get_type() == name


def test_every_message_can_be_built_at_any_moment(ready_station: Station) -> None:
    ready_station.command(mavlink.MAV_CMD_DO_SET_MODE, 1, 4)
    ready_station.command(mavlink.MAV_CMD_COMPONENT_ARM_DISARM, 1)
    ready_station.command(mavlink.MAV_CMD_NAV_TAKEOFF, 0, 0, 0, 0, 0, 0, 20)
    ready_station.run(30.0)
    assert ready_station.vehicle.as_dict()["height_m"] == pytest.approx(20.0, abs=0.5)
