# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of arm authorisation; pymavlink plays the autopilot."""

from __future__ import annotations

from typing import Any

import pytest
from flight import take_off
from pqc_policy.parameters import ParameterFault
from pqc_policy.policy.arm_authorization import ArmAuthorizerConfig, refusal
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.inputs import Reading

pytest.importorskip("pymavlink")
from pqc_policy.sensing.arm_requests import ArmRequest, ArmRequests
from pymavlink.dialects.v10 import common as mavlink1
from pymavlink.dialects.v20 import common as mavlink

AUTHORIZER, VEHICLE = 10, 1
ENCRYPTED = Reading(True, 0.5)


def requests() -> ArmRequests:
    return ArmRequests(AUTHORIZER, 191, valid_s=10)


def command(
    target: int = AUTHORIZER,
    component: int = 0,
    number: int = mavlink.MAV_CMD_ARM_AUTHORIZATION_REQUEST,
) -> bytes:
    message = mavlink.MAVLink_command_long_message(target, component, number, 0, *[0.0] * 7)
    return bytes(message.pack(mavlink.MAVLink(None, srcSystem=VEHICLE, srcComponent=1)))


def read(frames: list[bytes]) -> list[Any]:
    return mavlink.MAVLink(None).parse_buffer(bytearray(b"".join(frames))) or []


def decided(**circumstances: Any) -> Reading[Decision]:
    return Reading(take_off(**circumstances).decisions[-1], 0.2)


def test_the_request_of_an_autopilot_is_found_among_other_traffic() -> None:
    other = mavlink.MAVLink_heartbeat_message(2, 12, 0, 0, 4, 3).pack(mavlink.MAVLink(None))
    found = requests().take(bytes(other) + command() + command(component=191))
    assert found == [ArmRequest(VEHICLE, 1)] * 2


def test_a_request_in_mavlink_1_is_found_too() -> None:
    message = mavlink1.MAVLink_command_long_message(
        AUTHORIZER, 0, mavlink.MAV_CMD_ARM_AUTHORIZATION_REQUEST, 0, *[0.0] * 7
    )
    frame = bytes(message.pack(mavlink1.MAVLink(None, srcSystem=VEHICLE, srcComponent=1)))
    assert requests().take(frame) == [ArmRequest(VEHICLE, 1)]


@pytest.mark.parametrize(
    "datagram",
    [
        command(target=11),
        command(component=190),
        command(number=mavlink.MAV_CMD_COMPONENT_ARM_DISARM),
        command()[:-1],
        command()[:-1] + b"\0",
        b"",
        b"\xfd" * 40,
    ],
)
def test_what_is_no_request_to_this_authorizer_is_ignored(datagram: bytes) -> None:
    assert requests().take(datagram) == []


def test_an_authorisation_tells_px4_for_how_long_it_lasts() -> None:
    (ack,) = read(requests().answer(ArmRequest(VEHICLE, 1), None))
    assert ack.get_type() == "COMMAND_ACK"
    assert (ack.get_srcSystem(), ack.get_srcComponent()) == (AUTHORIZER, 191)
    assert ack.command == mavlink.MAV_CMD_ARM_AUTHORIZATION_REQUEST
    assert ack.result == mavlink.MAV_RESULT_ACCEPTED
    assert (ack.target_system, ack.target_component) == (VEHICLE, 1)
    assert ack.result_param2 == 10


def test_a_denial_has_a_reason_and_a_line_for_the_pilot() -> None:
    ack, text = read(requests().answer(ArmRequest(VEHICLE, 1), "the tunnel does not encrypt"))
    assert ack.result == mavlink.MAV_RESULT_DENIED
    assert ack.progress == mavlink.MAV_ARM_AUTH_DENIED_REASON_GENERIC
    assert text.text == "PQC no arming: the tunnel does not encrypt"
    _, text = read(requests().answer(ArmRequest(VEHICLE, 1), "x" * 100))
    assert len(text.text) == 50


def test_a_heartbeat_says_that_it_is_no_vehicle() -> None:
    (heartbeat,) = read([requests().heartbeat()])
    assert heartbeat.type == mavlink.MAV_TYPE_ONBOARD_CONTROLLER
    assert heartbeat.autopilot == mavlink.MAV_AUTOPILOT_INVALID


def test_arming_needs_a_tunnel_that_encrypts_and_every_required_input() -> None:
    assert refusal(ENCRYPTED, decided()) is None
    assert refusal(Reading(), decided()) == "the tunnel has no fresh status"
    assert refusal(Reading(True, 3.1), decided()) == "the tunnel has no fresh status"
    assert refusal(Reading(False, 0.1), decided()) == "the tunnel does not encrypt"
    assert refusal(ENCRYPTED, Reading()) == "the policy has not decided"
    assert refusal(ENCRYPTED, Reading(decided().value, 4.0)) == "the policy has not decided"
    lacking = decided(absent=frozenset({"thermal", "battery"}))
    assert refusal(ENCRYPTED, lacking) == "no battery voltage and temperature"
    assert refusal(ENCRYPTED, decided(ages_s={"link": 9.0})) == "no report of the link"


def test_it_is_off_by_default_and_a_port_needs_an_address() -> None:
    assert ArmAuthorizerConfig().port == 0
    with pytest.raises(ParameterFault, match=r"arm_authorizer.address is needed"):
        ArmAuthorizerConfig(port=14595)
