# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable

import pytest
from pymavlink.dialects.v20 import ardupilotmega as mavlink
from station import COMPONENT, SYSTEM, Station

WAYPOINT = mavlink.MAV_CMD_NAV_WAYPOINT
RELATIVE = mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT


def item(number: int, **changes: float) -> mavlink.MAVLink_mission_item_int_message:
    fields = {
        "frame": RELATIVE,
        "command": WAYPOINT,
        "x": -353632620 + 1000 * number,
        "y": 1491652370,
        "z": 20.0 + number,
        "param1": 0.0,
        "param2": 0.0,
        **changes,
    }
    return mavlink.MAVLink_mission_item_int_message(
        1,
        1,
        number,
        int(fields["frame"]),
        int(fields["command"]),
        0,
        1,
        fields["param1"],
        fields["param2"],
        0.0,
        0.0,
        int(fields["x"]),
        int(fields["y"]),
        fields["z"],
    )


def upload(
    station: Station, count: int, make: Callable[[int], mavlink.MAVLink_message] = item
) -> mavlink.MAVLink_message:
    """Answer every request until the vehicle acknowledges."""
    answers = station.send(mavlink.MAVLink_mission_count_message(1, 1, count))
    while answers[0].get_type() == "MISSION_REQUEST_INT":
        answers = station.send(make(answers[0].seq))
    (ack,) = answers
    assert (ack.target_system, ack.target_component) == (SYSTEM, COMPONENT)
    return ack


def download(station: Station) -> list[mavlink.MAVLink_message]:
    (count,) = station.send(mavlink.MAVLink_mission_request_list_message(1, 1))
    items = []
    for number in range(count.count):
        items += station.send(mavlink.MAVLink_mission_request_int_message(1, 1, number))
    return items


def place(message: mavlink.MAVLink_message) -> tuple[float, ...]:
    return (message.seq, message.frame, message.command, message.x, message.y, message.z)


@pytest.mark.parametrize("count", [1, 2, 700])
def test_an_uploaded_mission_is_downloaded_unchanged(station: Station, count: int) -> None:
    assert upload(station, count).type == mavlink.MAV_MISSION_ACCEPTED
    items = download(station)
    assert [place(one) for one in items] == [place(item(number)) for number in range(count)]


def test_a_new_mission_replaces_the_old_one(station: Station) -> None:
    upload(station, 9)
    upload(station, 3)
    assert len(download(station)) == 3


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"frame": mavlink.MAV_FRAME_LOCAL_NED}, mavlink.MAV_MISSION_UNSUPPORTED_FRAME),
        ({"x": 910_000_000}, mavlink.MAV_MISSION_INVALID_PARAM5_X),
        ({"y": 1_810_000_000}, mavlink.MAV_MISSION_INVALID_PARAM6_Y),
        ({"z": float("nan")}, mavlink.MAV_MISSION_INVALID),
    ],
)
def test_a_bad_item_ends_the_upload_and_the_old_mission_stays(
    station: Station, change: dict[str, float], fault: int
) -> None:
    upload(station, 2)

    def make(number: int) -> mavlink.MAVLink_message:
        return item(number, **change) if number == 3 else item(number)

    assert upload(station, 5, make).type == fault
    assert len(download(station)) == 2


def test_too_many_items_are_refused(station: Station) -> None:
    assert upload(station, 701).type == mavlink.MAV_MISSION_NO_SPACE


def test_an_item_that_got_lost_is_asked_for_again(station: Station) -> None:
    (request,) = station.send(mavlink.MAVLink_mission_count_message(1, 1, 2))
    assert request.seq == 0
    station.run(2.5)
    assert [message.seq for message in station.all("MISSION_REQUEST_INT")] == [0, 0, 0]
    assert station.send(item(0))[0].seq == 1
    assert station.send(item(1))[0].type == mavlink.MAV_MISSION_ACCEPTED


def test_a_repeated_item_does_no_harm(station: Station) -> None:
    station.send(mavlink.MAVLink_mission_count_message(1, 1, 2))
    station.send(item(0))
    assert station.send(item(0)) == []
    assert station.send(item(1))[0].type == mavlink.MAV_MISSION_ACCEPTED


def test_an_upload_that_stops_is_cancelled_and_the_old_mission_stays(station: Station) -> None:
    upload(station, 4)
    station.send(mavlink.MAVLink_mission_count_message(1, 1, 2))
    station.run(10.0)
    assert station.last("MISSION_ACK").type == mavlink.MAV_MISSION_OPERATION_CANCELLED
    assert len(download(station)) == 4


def test_an_upload_that_goes_on_slowly_is_not_cancelled(station: Station) -> None:
    (request,) = station.send(mavlink.MAVLink_mission_count_message(1, 1, 3))
    for number in range(3):
        assert request.seq == number
        station.run(3.5)
        (request,) = station.send(item(number))
    assert request.type == mavlink.MAV_MISSION_ACCEPTED


def test_clearing_leaves_nothing(station: Station) -> None:
    upload(station, 3)
    (ack,) = station.send(mavlink.MAVLink_mission_clear_all_message(1, 1))
    assert ack.type == mavlink.MAV_MISSION_ACCEPTED
    assert download(station) == []


def test_a_request_for_an_item_that_is_not_there_is_refused(station: Station) -> None:
    upload(station, 2)
    (ack,) = station.send(mavlink.MAVLink_mission_request_int_message(1, 1, 2))
    assert ack.type == mavlink.MAV_MISSION_INVALID_SEQUENCE


def test_an_item_without_an_upload_is_refused(station: Station) -> None:
    (ack,) = station.send(item(0))
    assert ack.type == mavlink.MAV_MISSION_INVALID_SEQUENCE


def test_fences_are_refused(station: Station) -> None:
    fence = mavlink.MAV_MISSION_TYPE_FENCE
    (ack,) = station.send(mavlink.MAVLink_mission_count_message(1, 1, 3, fence))
    assert (ack.type, ack.mission_type) == (mavlink.MAV_MISSION_UNSUPPORTED, fence)
    (count,) = station.send(mavlink.MAVLink_mission_request_list_message(1, 1, fence))
    assert (count.count, count.mission_type) == (0, fence)


def test_the_current_item_can_be_chosen(station: Station) -> None:
    upload(station, 4)
    (current,) = station.send(mavlink.MAVLink_mission_set_current_message(1, 1, 2))
    assert current.seq == 2
    (current,) = station.send(mavlink.MAVLink_mission_set_current_message(1, 1, 9))
    assert current.seq == 2
