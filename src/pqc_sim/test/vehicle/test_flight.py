# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest
from pqc_sim.vehicle.modes import Mode
from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions
from pymavlink.dialects.v20 import ardupilotmega as mavlink
from station import Station
from test_mission import item, upload

ARM = mavlink.MAV_CMD_COMPONENT_ARM_DISARM
SET_MODE = mavlink.MAV_CMD_DO_SET_MODE
TAKEOFF = mavlink.MAV_CMD_NAV_TAKEOFF
CUSTOM = mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED
ACCEPTED = mavlink.MAV_RESULT_ACCEPTED
FAILED = mavlink.MAV_RESULT_FAILED


def state(station: Station) -> dict:
    return station.vehicle.as_dict()


def enter(station: Station, mode: Mode) -> int:
    return station.command(SET_MODE, CUSTOM, mode)


def fly_to(station: Station, height: float) -> None:
    assert enter(station, Mode.GUIDED) == ACCEPTED
    assert station.command(ARM, 1) == ACCEPTED
    assert station.command(TAKEOFF, 0, 0, 0, 0, 0, 0, height) == ACCEPTED
    station.run_until(lambda: abs(state(station)["height_m"] - height) < 0.3)


def reposition(station: Station, frame: int, latitude_e7: int, height: float) -> int:
    """Send the vehicle to a place on the meridian of its home; return the result."""
    head = (1, 1, frame, mavlink.MAV_CMD_DO_REPOSITION)
    place = (latitude_e7, 1491652370, height)
    message = mavlink.MAVLink_command_int_message(*head, *(0, 0, -1.0, 0.0, 0.0, 0.0), *place)
    return int(station.send(message)[0].result)


def test_arming_is_refused_without_a_position_with_a_reason(station: Station) -> None:
    assert station.command(ARM, 1) == FAILED
    assert station.texts[-1] == "Arm: Need Position Estimate"
    station.run(2.0)
    assert station.command(ARM, 1) == ACCEPTED


def test_arming_is_refused_with_a_flat_battery() -> None:
    station = Station(Vehicle(VehicleOptions(charge=0.02), 0, 0))
    station.run(2.0)
    assert station.command(ARM, 1) == FAILED
    assert "voltage" in station.texts[-1]


def test_arming_can_be_forced(station: Station) -> None:
    assert station.command(ARM, 1, 21196) == ACCEPTED


def test_prearm_checks_can_be_asked_for(station: Station) -> None:
    station.command(mavlink.MAV_CMD_RUN_PREARM_CHECKS)
    assert station.texts == ["PreArm: Need Position Estimate"]


def test_some_modes_cannot_be_armed_in(ready_station: Station) -> None:
    assert enter(ready_station, Mode.RTL) == ACCEPTED
    assert ready_station.command(ARM, 1) == FAILED
    assert ready_station.texts[-1] == "Arm: RTL mode not armable"


def test_the_heartbeat_shows_mode_and_arming(ready_station: Station) -> None:
    enter(ready_station, Mode.GUIDED)
    ready_station.command(ARM, 1)
    ready_station.run(1.1)
    heartbeat = ready_station.last("HEARTBEAT")
    assert heartbeat.custom_mode == Mode.GUIDED
    assert heartbeat.base_mode & mavlink.MAV_MODE_FLAG_SAFETY_ARMED


def test_the_old_set_mode_message_works_too(ready_station: Station) -> None:
    ready_station.send(mavlink.MAVLink_set_mode_message(1, CUSTOM, Mode.LOITER))
    assert state(ready_station)["mode"] == "LOITER"


def test_an_unknown_mode_is_refused(ready_station: Station) -> None:
    assert ready_station.command(SET_MODE, CUSTOM, 99) == FAILED
    assert ready_station.command(SET_MODE, 0, 4) == mavlink.MAV_RESULT_DENIED


def test_an_unknown_command_is_unsupported(ready_station: Station) -> None:
    number = mavlink.MAV_CMD_DO_DIGICAM_CONTROL
    assert ready_station.command(number) == mavlink.MAV_RESULT_UNSUPPORTED


def test_takeoff_needs_guided_and_armed_motors(ready_station: Station) -> None:
    assert ready_station.command(TAKEOFF, 0, 0, 0, 0, 0, 0, 10) == FAILED


def test_it_takes_off_flies_somewhere_and_comes_home(ready_station: Station) -> None:
    station = ready_station
    fly_to(station, 10.0)
    assert reposition(station, mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT, -353622620, 30.0) == ACCEPTED
    station.run_until(lambda: abs(state(station)["latitude_deg"] + 35.362262) < 1e-5)
    assert state(station)["height_m"] == pytest.approx(30.0, abs=1.0)
    assert station.command(mavlink.MAV_CMD_NAV_RETURN_TO_LAUNCH) == ACCEPTED
    station.run_until(lambda: not state(station)["armed"])
    assert state(station)["height_m"] == 0.0
    assert state(station)["latitude_deg"] == pytest.approx(-35.363262, abs=3e-5)


def test_it_draws_more_current_in_the_air_than_on_the_ground(ready_station: Station) -> None:
    idle = ready_station.last("SYS_STATUS").current_battery
    fly_to(ready_station, 10.0)
    ready_station.run(2.0)
    assert ready_station.last("SYS_STATUS").current_battery > 5 * idle


def test_it_does_not_disarm_in_flight_unless_forced(ready_station: Station) -> None:
    fly_to(ready_station, 5.0)
    assert ready_station.command(ARM, 0) == FAILED
    assert ready_station.command(ARM, 0, 21196) == ACCEPTED
    ready_station.run_until(lambda: state(ready_station)["height_m"] == 0.0, 10.0)


def test_it_disarms_by_itself_when_left_on_the_ground(ready_station: Station) -> None:
    ready_station.command(ARM, 1)
    ready_station.run_until(lambda: not state(ready_station)["armed"], 11.0)


def test_land_comes_down_where_it_is(ready_station: Station) -> None:
    fly_to(ready_station, 8.0)
    assert enter(ready_station, Mode.LAND) == ACCEPTED
    ready_station.run_until(lambda: not state(ready_station)["armed"])
    assert ready_station.texts[-1] == "Disarming motors"


def test_auto_needs_a_mission(ready_station: Station) -> None:
    assert enter(ready_station, Mode.AUTO) == FAILED
    assert ready_station.texts[-1] == "Mode change failed: AUTO needs a mission"


def mission_item(number: int) -> mavlink.MAVLink_message:
    commands = {
        1: {"command": TAKEOFF, "x": 0, "y": 0, "z": 12.0},
        4: {"command": mavlink.MAV_CMD_DO_CHANGE_SPEED, "x": 0, "y": 0},
        5: {"command": mavlink.MAV_CMD_NAV_RETURN_TO_LAUNCH, "x": 0, "y": 0},
    }
    return item(number, **commands.get(number, {"z": 15.0}))


def test_a_mission_is_flown_from_takeoff_to_landing(ready_station: Station) -> None:
    station = ready_station
    assert upload(station, 6, mission_item).type == mavlink.MAV_MISSION_ACCEPTED
    station.command(ARM, 1)
    assert station.command(mavlink.MAV_CMD_MISSION_START) == ACCEPTED
    station.run_until(lambda: not state(station)["armed"])
    assert [message.seq for message in station.all("MISSION_ITEM_REACHED")] == [1, 2, 3, 4]
    highest = max(message.relative_alt for message in station.all("GLOBAL_POSITION_INT"))
    assert highest / 1000.0 == pytest.approx(15.0, abs=1.0)
    assert state(station)["mode"] == "RTL"
    assert state(station)["height_m"] == 0.0


def fly_mission(station: Station, *items: dict[str, float]) -> None:
    made = [item(0), *(item(number, **fields) for number, fields in enumerate(items, 1))]
    upload(station, len(made), lambda number: made[number])
    station.command(ARM, 1)
    assert station.command(mavlink.MAV_CMD_MISSION_START) == ACCEPTED


CLIMB = {"command": TAKEOFF, "x": 0, "y": 0, "z": 12.0}
HERE = {"x": -353632620, "y": 1491652370, "z": 12.0}
FAR = {"x": -353602620, "y": 1491652370, "z": 12.0}


def reached(station: Station, number: int) -> bool:
    return any(message.seq == number for message in station.all("MISSION_ITEM_REACHED"))


def test_it_waits_at_a_waypoint_for_the_time_of_the_item(ready_station: Station) -> None:
    fly_mission(ready_station, CLIMB, {**HERE, "param1": 20.0}, FAR)
    ready_station.run_until(lambda: reached(ready_station, 1))
    ready_station.run(15.0)
    assert not reached(ready_station, 2)
    ready_station.run(10.0)
    assert reached(ready_station, 2)


def test_it_flies_at_the_speed_that_the_mission_chooses(ready_station: Station) -> None:
    slowly = {"command": mavlink.MAV_CMD_DO_CHANGE_SPEED, "x": 0, "y": 0, "param2": 3.0}
    fly_mission(ready_station, CLIMB, slowly, FAR)
    ready_station.run_until(lambda: reached(ready_station, 2))
    ready_station.run(10.0)
    assert state(ready_station)["speed_m_s"] == pytest.approx(3.0, abs=0.1)


def test_a_height_above_the_sea_is_not_one_above_home(ready_station: Station) -> None:
    fly_to(ready_station, 10.0)
    assert reposition(ready_station, mavlink.MAV_FRAME_GLOBAL, -353632620, 584.0 + 25.0) == ACCEPTED
    ready_station.run(30.0)
    assert state(ready_station)["height_m"] == pytest.approx(25.0, abs=0.5)


def test_a_falling_battery_sends_it_home() -> None:
    station = Station(Vehicle(VehicleOptions(rate_hz=50, charge=0.12), 0, 0))
    station.run(2.0)
    fly_to(station, 20.0)
    station.run_until(lambda: state(station)["mode"] == "RTL", 600.0)
    assert any(text.startswith("Battery 1 is low") for text in station.texts)
    station.run_until(lambda: not state(station)["armed"])


def test_losing_the_ground_station_sends_it_home(ready_station: Station) -> None:
    fly_to(ready_station, 5.0)
    ready_station.heartbeats = False
    ready_station.run(4.0)
    assert state(ready_station)["mode"] == "GUIDED"
    ready_station.run(2.0)
    assert state(ready_station)["mode"] == "RTL"
    assert "GCS Failsafe" in ready_station.texts


def test_attitude_stays_plausible_throughout_a_flight(ready_station: Station) -> None:
    station = ready_station
    upload(station, 6, mission_item)
    station.command(ARM, 1)
    station.command(mavlink.MAV_CMD_MISSION_START)
    station.run_until(lambda: not state(station)["armed"])
    for message in station.all("ATTITUDE"):
        assert abs(message.roll) < math.radians(35.0)
        assert abs(message.pitch) < math.radians(35.0)
        assert abs(message.yaw) <= math.pi + 1e-6


def test_time_and_ping_are_answered(ready_station: Station) -> None:
    (answer,) = ready_station.send(mavlink.MAVLink_timesync_message(0, 77))
    assert (answer.ts1, answer.tc1) == (77, ready_station.now_ns)
    (answer,) = ready_station.send(mavlink.MAVLink_ping_message(5, 6, 0, 0))
    assert (answer.time_usec, answer.seq, answer.target_system) == (5, 6, 255)


def test_junk_is_counted_and_otherwise_ignored(ready_station: Station) -> None:
    assert ready_station.vehicle.handle(b"\x00junk", 0) == []
    assert ready_station.vehicle.received.as_dict()["corrupted"] == 1
