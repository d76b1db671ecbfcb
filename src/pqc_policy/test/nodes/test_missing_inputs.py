# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

from flight import Flight, policy_with, take_off
from pqc_policy.nodes.missing_inputs import WAIT_S, MissingInputAdvice

REASONS = {
    "thermal": "Nothing usable arrives on /pqc/thermal",
    "battery": "Nothing usable arrives on /pqc/battery",
    "armed": "Nothing publishes /pqc/vehicle",
    "link": "No report of the ground station arrives",
    "session": "Nothing publishes /pqc/status",
}
NO_ZONE = (
    "Nothing usable arrives on /pqc/thermal: the rules that need it don't act. "
    "See /diagnostics of the sensing node. "
    "Set required_inputs to [link, battery, armed, session] to fly without thermal."
)
LONG = int(WAIT_S) + 1


class AdvisedFlight:
    """A flight with the advice that is logged during it."""

    def __init__(self, **config: Any) -> None:
        self.flight: Flight = take_off(policy_with(**config))
        self.missing = MissingInputAdvice(REASONS.__getitem__)

    def fly(self, seconds: int, **changes: Any) -> list[str]:
        """Advance the time; return the advice that is logged meanwhile."""
        config = self.flight.policy.config
        advice = [self.missing.take(d, config) for d in self.flight.fly(seconds, **changes)]
        return [text for text in advice if text is not None]


def inputs(*names: str) -> frozenset[str]:
    return frozenset(names)


def test_a_flight_with_every_input_gets_no_advice() -> None:
    advised = AdvisedFlight()
    assert advised.fly(60) == []
    assert advised.missing.advice == ""


def test_a_missing_input_is_logged_once_with_its_reason_and_the_list_to_set() -> None:
    advised = AdvisedFlight()
    assert advised.fly(60, absent=inputs("thermal")) == [NO_ZONE]
    assert advised.missing.advice == NO_ZONE


def test_an_input_that_is_missing_briefly_causes_no_advice() -> None:
    advised = AdvisedFlight()
    assert advised.fly(int(WAIT_S), absent=inputs("thermal")) == []
    assert advised.fly(60, absent=inputs()) == []


def test_a_second_loss_is_logged_again() -> None:
    advised = AdvisedFlight()
    advised.fly(LONG, absent=inputs("thermal"))
    assert advised.fly(3, absent=inputs()) == []
    assert advised.missing.advice == ""
    assert advised.fly(LONG, absent=inputs("thermal")) == [NO_ZONE]


def test_the_advice_omits_inputs_that_are_not_required() -> None:
    advised = AdvisedFlight(required_inputs=("session", "thermal", "link"))
    (advice,) = advised.fly(LONG, absent=inputs("thermal", "battery", "armed"))
    assert advice.endswith("Set required_inputs to [session, link] to fly without thermal.")


def test_several_missing_inputs_give_one_piece_of_advice() -> None:
    advised = AdvisedFlight()
    (advice,) = advised.fly(LONG, absent=inputs("thermal", "battery"))
    assert advice == (
        f"{REASONS['battery']}. {REASONS['thermal']}: the rules that need it don't act. "
        "See /diagnostics of the sensing node. "
        "Set required_inputs to [link, armed, session] to fly without battery and thermal."
    )
    (later,) = advised.fly(LONG, absent=inputs("thermal"))
    assert later == NO_ZONE


def test_a_stale_input_and_an_empty_one_are_missing_too() -> None:
    assert AdvisedFlight().fly(LONG, ages_s={"thermal": 2.1}) == [NO_ZONE]
    assert AdvisedFlight().fly(LONG, temperature_c=float("nan")) == [NO_ZONE]


def test_the_advice_never_omits_link_or_session_but_has_a_remedy() -> None:
    (link,) = AdvisedFlight().fly(LONG, absent=inputs("link"))
    assert link.startswith(
        f"{REASONS['link']}: the rules that need it don't act. See /diagnostics of the tunnel"
    )
    (session,) = AdvisedFlight().fly(LONG, absent=inputs("session"))
    assert session.startswith(
        f"{REASONS['session']}: the rules that need it don't act. Start the tunnel"
    )
    assert "required_inputs" not in link + session
    (both,) = AdvisedFlight().fly(LONG, absent=inputs("link", "thermal"))
    assert both.startswith(
        f"{REASONS['link']}. {REASONS['thermal']}: the rules that need it don't act. See "
    )
    assert both.endswith("[link, battery, armed, session] to fly without thermal.")


def test_the_advice_is_logged_again_once_nothing_else_is_missing() -> None:
    advised = AdvisedFlight()
    assert len(advised.fly(LONG, absent=inputs("link", "thermal"))) == 1
    assert advised.fly(LONG, absent=inputs("thermal")) == [NO_ZONE]


def test_after_the_clock_is_set_back_the_advice_waits_again() -> None:
    advised = AdvisedFlight()
    advised.fly(LONG, absent=inputs("thermal"))
    advised.missing.reset()
    assert advised.missing.advice == ""
    advised.flight.now_s -= 500.0
    assert advised.fly(int(WAIT_S)) == []
    assert advised.fly(1) == [NO_ZONE]


def test_a_strategy_without_the_emergency_rule_gets_advice_too() -> None:
    assert AdvisedFlight(strategy="static").fly(LONG, absent=inputs("thermal")) == [NO_ZONE]
