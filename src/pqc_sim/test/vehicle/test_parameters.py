# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest
from pqc_sim.vehicle.parameter_table import TABLE, Kind
from pqc_sim.vehicle.parameters import Parameters
from pymavlink.dialects.v20 import ardupilotmega as mavlink
from station import RATE_HZ, Station

REAL = mavlink.MAV_PARAM_TYPE_REAL32


def set_parameter(station: Station, name: str, value: float) -> mavlink.MAVLink_message:
    answers = station.send(
        mavlink.MAVLink_param_set_message(1, 1, name.encode("ascii"), value, REAL)
    )
    return next(answer for answer in answers if answer.get_type() == "PARAM_VALUE")


def test_the_table_is_sound() -> None:
    names = [entry.name for entry in TABLE]
    assert len(names) == len(set(names)) >= 60
    assert names == sorted(names)
    for entry in TABLE:
        assert len(entry.name) <= 16
        assert entry.low <= entry.default <= entry.high
        if entry.kind is not Kind.REAL:
            assert entry.default == int(entry.default)


def test_the_whole_list_comes_once_and_in_order(station: Station) -> None:
    station.send(mavlink.MAVLink_param_request_list_message(1, 1))
    station.run(2.0)
    values = station.all("PARAM_VALUE")
    assert [value.param_id for value in values] == [entry.name for entry in TABLE]
    assert [value.param_index for value in values] == list(range(len(TABLE)))
    assert {value.param_count for value in values} == {len(TABLE)}


def test_telemetry_goes_on_during_the_download(station: Station) -> None:
    station.send(mavlink.MAVLink_param_request_list_message(1, 1))
    heard = station.run(1.0)
    others = [message for message in heard if message.get_type() != "PARAM_VALUE"]
    assert len(others) >= RATE_HZ


@pytest.mark.parametrize(("name", "index"), [("RTL_ALT", -1), ("", 50)])
def test_one_can_be_read_by_name_or_index(station: Station, name: str, index: int) -> None:
    request = mavlink.MAVLink_param_request_read_message(1, 1, name.encode("ascii"), index)
    (answer,) = station.send(request)
    assert answer.param_id == (name or TABLE[index].name)


@pytest.mark.parametrize(("name", "index"), [("NO_SUCH", -1), ("", 5000)])
def test_a_request_for_an_unknown_parameter_is_not_answered(
    station: Station, name: str, index: int
) -> None:
    request = mavlink.MAVLink_param_request_read_message(1, 1, name.encode("ascii"), index)
    assert station.send(request) == []


def test_a_set_value_is_acknowledged_and_kept(station: Station) -> None:
    assert set_parameter(station, "RTL_ALT", 2500).param_value == 2500
    request = mavlink.MAVLink_param_request_read_message(1, 1, b"RTL_ALT", -1)
    (answer,) = station.send(request)
    assert answer.param_value == 2500
    assert answer.param_type == mavlink.MAV_PARAM_TYPE_INT32


@pytest.mark.parametrize("value", [29.0, 201.0, math.nan, math.inf])
def test_a_value_out_of_range_is_refused_with_a_sentence(station: Station, value: float) -> None:
    assert set_parameter(station, "LAND_SPEED", value).param_value == 50
    assert any("LAND_SPEED" in text for text in station.texts)


def test_whole_numbers_stay_whole_and_others_have_single_precision() -> None:
    parameters = Parameters()
    assert parameters.set("LAND_SPEED", 60.4) is None
    assert parameters["LAND_SPEED"] == 60.0
    assert parameters.set("ATC_RAT_RLL_P", 0.1) is None
    assert parameters["ATC_RAT_RLL_P"] == pytest.approx(0.1, rel=1e-7)
    assert parameters["ATC_RAT_RLL_P"] != 0.1


def test_messages_for_another_vehicle_are_not_answered(station: Station) -> None:
    station.send(mavlink.MAVLink_param_request_list_message(9, 1))
    station.run(1.0)
    assert station.all("PARAM_VALUE") == []
