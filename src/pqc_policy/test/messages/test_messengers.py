# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the messengers say and do; the launch tests of pqc_tunnel run them with both tunnels."""

from __future__ import annotations

from message_examples import CAPTURE, HOLD, capture
from pqc_policy.messages.requests import Answer, State
from pqc_policy.nodes.messengers.drone_messenger_node import answer_of
from pqc_policy.nodes.messengers.ground_messenger_node import response_to

from pqc_msgs.srv import CapturePower, HoldSuite


def test_a_request_that_nobody_answered_says_that_the_result_is_unknown() -> None:
    response = response_to(HOLD, False, Answer())
    assert not response.success
    assert response.message == "The drone has not answered: whether it has done it is unknown."


def test_a_capture_brings_its_result_as_the_drones_node_told_it() -> None:
    told = CapturePower.Response(
        success=True, message="3000 samples.", samples=3000, seconds=12.5, energy_j=50.0
    )
    response = response_to(capture(5.0, 0.0, "hover"), True, answer_of(told))
    assert (response.success, response.message) == (True, "3000 samples.")
    assert (response.file, response.samples) == ("hover.csv", 3000)
    assert (response.seconds, response.energy_j, response.mean_w) == (12.5, 50.0, 4.0)
    assert response_to(CAPTURE, True, answer_of(told)).file == "hover-7.csv"
    assert response_to(CAPTURE, False, answer_of(told)).file == ""


def test_a_request_that_the_drone_refuses_has_its_reason() -> None:
    told = HoldSuite.Response(success=False, message="The policy may not choose it.")
    response = response_to(HOLD, True, answer_of(told))
    assert (response.success, response.message) == (False, told.message)
    assert answer_of(told) == Answer(State.REFUSED, told.message)
    hidden = response_to(HOLD, True, Answer(State.DONE, "a\x1b[2J"))
    assert (hidden.success, hidden.message) == (True, "a\\x1b[2J")
