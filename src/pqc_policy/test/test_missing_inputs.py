# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The advice while the policy holds because an input is missing."""

from __future__ import annotations

from typing import Any

import pytest
from flight import Flight, policy_with, take_off
from pqc_policy.nodes.missing_inputs import WAIT_S, MissingInputAdvice

REASONS = {
    "thermal": "No thermal zone below /sys",
    "battery": "Nothing is heard of the battery on /mavros/battery",
    "armed": "Nothing is heard of the vehicle on /mavros/state, so the armed state is unknown",
}
NO_ZONE = (
    "No thermal zone below /sys: the policy holds. "
    "Set required_inputs to [link, battery, armed, session] to fly without it."
)
LONG = int(WAIT_S) + 1


class Followed:
    """A flight and the advice during it."""

    def __init__(self, **config: Any) -> None:
        self.flight: Flight = take_off(policy_with(**config))
        self.missing = MissingInputAdvice(REASONS.__getitem__)

    def fly(self, seconds: int, **changes: Any) -> list[str]:
        """Let time pass; return the advice that is logged meanwhile."""
        config = self.flight.policy.config
        advice = [self.missing.take(d, config) for d in self.flight.fly(seconds, **changes)]
        return [text for text in advice if text is not None]


def lacking(*names: str) -> frozenset[str]:
    return frozenset(names)


def test_a_flight_that_lacks_nothing_gets_no_advice() -> None:
    followed = Followed()
    assert followed.fly(60) == []
    assert followed.missing.advice == ""


def test_a_missing_input_is_logged_once_with_its_reason_and_the_list_to_set() -> None:
    followed = Followed()
    assert followed.fly(60, absent=lacking("thermal")) == [NO_ZONE]
    assert followed.missing.advice == NO_ZONE


def test_an_input_that_is_missing_briefly_needs_no_advice() -> None:
    followed = Followed()
    assert followed.fly(int(WAIT_S), absent=lacking("thermal")) == []
    assert followed.fly(60, absent=lacking()) == []


def test_a_second_loss_is_logged_again() -> None:
    followed = Followed()
    followed.fly(LONG, absent=lacking("thermal"))
    assert followed.fly(3, absent=lacking()) == []
    assert followed.missing.advice == ""
    assert followed.fly(LONG, absent=lacking("thermal")) == [NO_ZONE]


def test_the_advice_leaves_out_inputs_that_are_not_required() -> None:
    followed = Followed(required_inputs=("session", "thermal", "link"))
    (advice,) = followed.fly(LONG, absent=lacking("thermal", "battery", "armed"))
    assert advice.endswith("Set required_inputs to [session, link] to fly without it.")


def test_several_missing_inputs_are_one_piece_of_advice() -> None:
    followed = Followed()
    (advice,) = followed.fly(LONG, absent=lacking("thermal", "battery"))
    assert advice == (
        f"{REASONS['battery']}. {REASONS['thermal']}: the policy holds. "
        "Set required_inputs to [link, armed, session] to fly without them."
    )
    (later,) = followed.fly(LONG, absent=lacking("thermal"))
    assert later == NO_ZONE


def test_an_old_input_and_one_without_content_are_missing_too() -> None:
    assert Followed().fly(LONG, ages_s={"thermal": 2.1}) == [NO_ZONE]
    assert Followed().fly(LONG, temperature_c=float("nan")) == [NO_ZONE]


@pytest.mark.parametrize("name", ["link", "session"])
def test_no_drone_is_advised_to_fly_without_link_or_session(name: str) -> None:
    followed = Followed()
    assert followed.fly(LONG, absent=lacking(name)) == []
    (advice,) = followed.fly(LONG, absent=lacking(name, "thermal"))
    assert advice == NO_ZONE


def test_the_advice_is_logged_again_once_nothing_else_is_missing() -> None:
    followed = Followed()
    assert followed.fly(LONG, absent=lacking("link", "thermal")) == [NO_ZONE]
    assert followed.fly(LONG, absent=lacking("thermal")) == [NO_ZONE]


def test_after_a_clock_that_was_set_back_it_waits_anew() -> None:
    followed = Followed()
    followed.fly(LONG, absent=lacking("thermal"))
    followed.missing.reset()
    assert followed.missing.advice == ""
    followed.flight.now_s -= 500.0
    assert followed.fly(int(WAIT_S)) == []
    assert followed.fly(1) == [NO_ZONE]


def test_a_strategy_without_the_emergency_row_is_advised_too() -> None:
    assert Followed(strategy="static").fly(LONG, absent=lacking("thermal")) == [NO_ZONE]
