# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from math import inf, nan

import pytest
from flight import LIGHTEST, MLKEM512, MLKEM768, MLKEM1024, policy_with, take_off
from pqc_policy.policy.config import Allowed
from pqc_policy.policy.decision import Action
from pqc_policy.policy.inputs import Held
from pqc_policy.policy.strategies.registry import STRATEGIES
from pqc_policy.policy.telemetry import Telemetry
from recorded import SECOND, made

EVERY = ["static", "telemetry_aware", "expert"]


@pytest.mark.parametrize("strategy", EVERY)
def test_a_held_suite_is_used_until_the_hold_expires(strategy: str) -> None:
    flight = take_off(policy_with(strategy=strategy), held=Held(MLKEM512, 1100.0))
    assert flight.suite == MLKEM512
    assert flight.decisions[0].rule == "operator"
    flight.fly(90, gap_s=5.0)
    assert flight.suite == MLKEM512, "the link does not matter while the operator holds"
    flight.fly(90)
    assert flight.decisions[-1].rule != "operator"


@pytest.mark.parametrize("strategy", ["telemetry_aware", "expert"])
def test_an_emergency_comes_before_the_operator(strategy: str) -> None:
    flight = take_off(policy_with(strategy=strategy), held=Held(MLKEM768, 9000.0))
    flight.fly(3, temperature_c=90.0)
    assert flight.suite == LIGHTEST


def test_the_operator_makes_nothing_heavier_in_the_air_and_nothing_forbidden() -> None:
    flight = take_off(held=Held(MLKEM1024, 9000.0))
    assert (flight.step().action, flight.suite) == (Action.HOLD, MLKEM768)
    assert "a heavier suite needs a disarmed drone" in flight.decisions[-1].reason
    assert flight.step(armed=False).action is Action.UPGRADE
    low = take_off(policy_with(allowed=Allowed(min_level=3)), held=Held(MLKEM512, 9000.0))
    assert low.suite == MLKEM768
    assert low.decisions[-1].reason.endswith("but it may not be chosen now.")


@pytest.mark.parametrize("strategy", list(STRATEGIES))
def test_a_hold_that_the_strategy_would_not_follow_is_refused(strategy: str) -> None:
    policy = policy_with(strategy=strategy)
    fault = policy.hold_fault(MLKEM512, 300.0)
    if strategy == "paper_2025":
        assert fault == "The strategy paper_2025 has no rule operator: it holds no suite."
    else:
        assert fault is None
    flight = take_off(policy, held=Held(MLKEM512, 1100.0))
    assert (flight.suite == MLKEM512) is (fault is None)
    assert policy.hold_fault("", 0.0) is None, "a hold of before can be released"


@pytest.mark.parametrize("seconds", [inf, -inf, nan, -1.0, 0.0, 86400.1])
def test_a_hold_of_no_possible_length_is_refused(seconds: float) -> None:
    assert "is not possible" in (policy_with().hold_fault(MLKEM512, seconds) or "")
    recorded = made("held_suite", 1000, suite=MLKEM512, seconds=seconds)
    assert held_after(recorded) == MLKEM768, "a hold of before goes on"


def test_a_hold_of_a_suite_that_does_not_exist_is_refused() -> None:
    assert policy_with().hold_fault("rot13", 60.0) == "There is no suite rot13."
    assert held_after(made("held_suite", 1000, suite="rot13", seconds=60.0)) == MLKEM768
    assert held_after(made("held_suite", 1000)) is None, "a hold of before can be released"


def held_after(message: object) -> str | None:
    """Return the suite that is held after a message of a recording."""
    telemetry = Telemetry()
    telemetry.take("held_suite", made("held_suite", 999, suite=MLKEM768, seconds=60.0))
    telemetry.take("held_suite", message)
    held = telemetry.inputs(1001 * SECOND).held
    return None if held is None else held.suite


def test_keys_are_renewed_during_a_hold() -> None:
    flight = take_off(held=Held(MLKEM768, 9000.0))
    assert flight.until(Action.REKEY, 70).to_suite == MLKEM768
