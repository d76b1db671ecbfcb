# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import itertools
import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from flight import (
    HQC256,
    LIGHTEST,
    MCELIECE5,
    MLKEM512,
    MLKEM768,
    MLKEM1024,
    STEPPING,
    policy_with,
    stepping,
    take_off,
)
from pqc_policy.parameters import ParameterFault
from pqc_policy.policy.config import Allowed, ExpertConfig, PolicyConfig
from pqc_policy.policy.decision import Action
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.inputs import Failure, Verdict
from pqc_policy.policy.suites import SUITES, KemFamily

THREE_FAMILIES = Allowed(
    experimental=True,
    families=frozenset({KemFamily.MCELIECE, KemFamily.HQC, KemFamily.ML_KEM}),
)


def test_steps_down_use_mceliece_hqc_and_ml_kem_before_a_lower_level() -> None:
    flight = take_off(stepping(allowed=THREE_FAMILIES), suite=MCELIECE5)
    flight.fly(20, c_per_min=8.0)
    moves = [d.to_suite for d in flight.decisions if d.action is Action.DOWN]
    assert moves[:2] == [HQC256, MLKEM1024]


def test_an_outage_of_one_second_in_six_causes_no_oscillation() -> None:
    flight = take_off(stepping(), suite=MLKEM1024)
    for second in range(1200):
        flight.step(gap_s=1.2 if second % 6 == 0 else 0.05)
    assert flight.suite == MLKEM1024


def test_a_suite_that_fails_is_blacklisted_and_the_next_one_is_tried() -> None:
    flight = take_off(
        stepping(allowed=THREE_FAMILIES), suite=MCELIECE5, refused=frozenset({HQC256})
    )
    flight.fly(8, c_per_min=8.0)
    decision = next(d for d in flight.decisions if d.blacklisted)
    assert decision.blacklisted == (HQC256,)
    assert decision.reason.startswith(f"The rekey to {HQC256} failed (the peer refused); it is")
    assert [d.to_suite for d in flight.decisions if d.to_suite][:2] == [
        HQC256,
        "cs-hqc5-aesgcm-mldsa87",
    ]


def test_a_blacklisted_suite_may_be_chosen_again_after_1800_s() -> None:
    flight = take_off(suite=LIGHTEST, armed=False, refused=frozenset({MLKEM768}))
    flight.until(Action.UPGRADE)
    failed_s = flight.now_s + 1
    flight.refused = frozenset()
    flight.fly(1799)
    assert MLKEM768 not in [d.to_suite for d in flight.decisions if d.t > failed_s]
    flight.fly(100)
    assert MLKEM768 in [d.to_suite for d in flight.decisions if d.t >= failed_s + 1800]


def test_a_rekey_that_only_timed_out_keeps_its_target_and_is_tried_again_ever_later() -> None:
    flight = take_off(
        stepping(allowed=THREE_FAMILIES),
        suite=MCELIECE5,
        refused=frozenset({HQC256}),
        authenticated=False,
    )
    flight.fly(250, c_per_min=8.0)
    asked = [d for d in flight.decisions if d.to_suite]
    assert {d.to_suite for d in asked} == {HQC256}
    assert not flight.state.blacklist
    waits = [b.t - a.t for a, b in pairwise(asked)]
    assert waits[:6] == [6.0, 11.0, 21.0, 41.0, 61.0, 61.0]


def test_blackouts_on_the_ground_keep_the_default_suite_away_for_300_s_only() -> None:
    flight = take_off(suite=MLKEM512, armed=False)
    flight.until(Action.UPGRADE)
    for _ in range(5):
        flight.step(blackouts=flight.blackouts + 1)
    assert flight.suite == MLKEM512
    flight.fly(310)
    assert flight.suite == MLKEM768


def test_an_emergency_is_tried_again_after_5_s_however_often_it_timed_out() -> None:
    every = frozenset(suite.id for suite in SUITES)
    flight = take_off(suite=MLKEM1024, refused=every, authenticated=False)
    flight.fly(120, voltage_v=13.0)
    asked = [d for d in flight.decisions if d.to_suite]
    assert max(b.t - a.t for a, b in pairwise(asked)) == 6.0
    # After three failures of the lightest suite the next one has its turn.
    assert [d.to_suite for d in asked[:4]] == [LIGHTEST] * 3 + [MLKEM512]
    flight.refused = frozenset()
    flight.fly(7)
    assert flight.suite == LIGHTEST


def test_failed_rekeys_do_not_count_towards_the_limit() -> None:
    refused = frozenset({MLKEM768})
    flight = take_off(stepping(), suite=MLKEM1024, refused=refused, authenticated=False)
    flight.fly(200, c_per_min=9.0)
    assert flight.state.rekeys_s == ()
    flight.refused = frozenset()
    flight.fly(61)
    assert flight.suite != MLKEM1024


def test_one_episode_of_stress_leads_three_steps_down_and_the_next_one_more() -> None:
    flight = take_off(stepping(allowed=Allowed(experimental=True)), suite=MCELIECE5)
    flight.fly(120, c_per_min=9.0)
    assert len([d for d in flight.decisions if d.to_suite]) == 3
    assert flight.decisions[-1].reason.endswith("; 3 steps down are the limit of one episode.")
    flight.fly(10, c_per_min=0.0)
    flight.fly(20, c_per_min=9.0)
    assert len([d for d in flight.decisions if d.to_suite]) == 5


def test_the_only_suite_left_is_requested_every_5_s_in_an_emergency() -> None:
    only = Allowed(suites=frozenset({MLKEM768}))
    flight = take_off(policy_with(allowed=only), suite=MLKEM1024, refused=frozenset({MLKEM768}))
    flight.fly(300, voltage_v=13.0)
    asked = [d.t for d in flight.decisions if d.to_suite == MLKEM768]
    assert len(asked) == 50
    held = flight.decisions[7]
    assert "failed 3 s ago, less than 5 s" in held.reason


def test_keys_that_cannot_be_renewed_are_requested_once_a_minute() -> None:
    flight = take_off(refused=frozenset({MLKEM768}))
    flight.fly(1000)
    asked = [d.t for d in flight.decisions if d.action is Action.REKEY]
    assert len(asked) > 5
    assert {b - a for a, b in itertools.pairwise(asked)} == {6.0, 11.0, 21.0, 41.0, 61.0}
    assert not flight.state.blacklist


def test_failures_from_before_the_policy_started_are_ignored() -> None:
    flight = take_off(failure=Failure(7, MLKEM1024, "timed out"))
    assert flight.decisions[0].blacklisted == ()


def test_a_rekey_under_way_is_not_requested_again() -> None:
    flight = take_off(stepping(), suite=MLKEM1024, obedient=False)
    decisions = flight.fly(60, c_per_min=9.0)
    assert [d.action for d in decisions].count(Action.DOWN) == 1
    assert "requested 3 s ago, is not done" in decisions[8].reason
    assert flight.until(Action.DOWN, 20)


def test_the_failure_of_a_rekey_to_another_suite_does_not_end_a_request() -> None:
    """Somebody else may ask for a rekey: an operator, or the tunnel itself."""
    flight = take_off(stepping(), suite=MLKEM1024, obedient=False)
    flight.c_per_min = 9.0
    assert flight.until(Action.DOWN, 20).to_suite == MLKEM768
    other = Failure(1, HQC256, "refused")
    decision = flight.step(failure=other)
    assert f"The rekey to {HQC256} failed (refused)" in decision.reason
    assert "requested 1 s ago, is not done" in decision.reason
    assert flight.state.pending is not None and len(flight.state.rekeys_s) == 1
    flight.step(failure=Failure(2, MLKEM768, "timed out"))
    assert flight.state.pending is None and flight.state.rekeys_s == ()


def test_a_request_ends_when_the_tunnel_has_crashed() -> None:
    flight = take_off(stepping(), suite=MLKEM1024, obedient=False)
    flight.fly(8, c_per_min=8.0)
    asked = flight.decisions[-1]
    while asked.action is not Action.DOWN:
        asked = flight.step()
    # The same suite and epoch, but a new session with keys of its own.
    again = flight.step(keys_since_s=flight.now_s + 0.5)
    assert (again.action, again.to_suite) == (Action.DOWN, asked.to_suite)


def test_the_policy_waits_for_a_rekey_that_the_tunnel_started() -> None:
    flight = take_off()
    flight.fly(80, rekeying=True)
    decision = flight.decisions[-1]
    assert (decision.action, decision.rule) == (Action.HOLD, "rekey")
    assert decision.reason.endswith("held because a rekey is under way.")


def test_an_emergency_waits_for_no_rekey_that_the_tunnel_started() -> None:
    flight = take_off(suite=MLKEM1024)
    decision = flight.fly(3, voltage_v=13.0, rekeying=True)[-1]
    assert (decision.action, decision.rule) == (Action.DOWN_TO_LIGHTEST, "emergency")


def test_no_more_than_5_rekeys_in_300_s() -> None:
    policy = stepping(allowed=Allowed(experimental=True), step_down_limit=9)
    flight = take_off(policy, suite=MCELIECE5)
    flight.fly(60, c_per_min=9.0)
    assert len([d for d in flight.decisions if d.to_suite]) == 5
    decision = flight.decisions[-1]
    assert (decision.action, decision.rule) == (Action.HOLD, "stress")
    assert "5 rekeys in 300 s are the limit" in decision.reason
    first = next(d.t for d in flight.decisions if d.to_suite)
    assert flight.until(Action.DOWN).t == first + 300.0


def test_routine_rekeys_leave_one_of_five_for_a_switch() -> None:
    flight = take_off(stepping())
    flight.fly(280)
    assert len(flight.state.rekeys_s) == 4
    flight.fly(20, c_per_min=9.0)
    assert Action.DOWN in {d.action for d in flight.decisions}


def test_sensors_that_come_back_are_used_again() -> None:
    flight = take_off(stepping(), suite=MLKEM1024)
    flight.fly(20, ages_s={"thermal": 9.0}, c_per_min=9.0)
    assert {d.rule for d in flight.decisions[1:]} == {"safety"}
    flight.fly(6, ages_s={})
    assert flight.decisions[-1].action is Action.DOWN


def test_an_input_that_is_not_required_may_be_absent() -> None:
    policy = policy_with(required_inputs=("link", "session"))
    flight = take_off(policy, absent=frozenset({"thermal", "battery", "armed"}))
    assert flight.fly(100)[0].rule == "nominal"
    assert Action.UPGRADE not in {d.action for d in flight.decisions}


def test_a_clock_that_went_backwards_resets_the_state() -> None:
    flight = take_off(stepping(), suite=MLKEM1024)
    flight.fly(4, c_per_min=9.0)
    flight.now_s = flight.keys_since_s = 10.0
    assert {d.action for d in flight.fly(5)} == {Action.HOLD}


@pytest.mark.parametrize("strategy", ["telemetry_aware", "expert", "hybrid"])
def test_what_nobody_saw_has_not_lasted(strategy: str) -> None:
    """The clock jumps when it gets the time from a satellite; a process may stand still."""
    trouble: list[dict[str, Any]] = [
        {"gap_s": 2.0},
        {"c_per_min": 9.0},
        {"advisor": Verdict.ATTACK},
    ]
    for changes in trouble:
        flight = take_off(policy_with(strategy=strategy), suite=MLKEM768)
        flight.fly(2, **changes)
        flight.now_s += 1e9
        flight.keys_since_s = flight.now_s
        assert all(decision.to_suite in (None, MLKEM768) for decision in flight.fly(5))
    flight = take_off(policy_with(strategy=strategy), suite=MLKEM512, armed=False)
    flight.fly(2)
    flight.now_s += 1e9
    flight.keys_since_s = flight.now_s
    assert all(decision.action is not Action.UPGRADE for decision in flight.fly(29))
    flight.until(Action.UPGRADE, limit=100)


def test_a_decision_contains_rule_reason_and_inputs() -> None:
    flight = take_off(suite=MLKEM1024, advisor=Verdict.CLEAR)
    decision = flight.fly(3, temperature_c=90.0)[-1]
    assert decision.summary() == {
        "t": flight.now_s,
        "action": "DOWN_TO_LIGHTEST",
        "rule": "emergency",
        "from": MLKEM1024,
        "to": LIGHTEST,
        "reason": "The computer is at 90.0 °C, above 80.0 °C: to the lightest suite at once, "
        "exempt from the limit of rekeys.",
    }
    everything = json.loads(decision.to_json())
    assert everything["inputs"]["thermal"]["value"]["temperature_c"] == 90.0
    assert everything["inputs"]["power_w"]["value"] is None


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"strategy": "bold"}, "strategy is 'bold', but must be one of static, layered"),
        ({"ceiling": "cs-x"}, "ceiling is 'cs-x', but must be one that exists."),
        ({"rekey_limit": 0}, "rekey_limit is 0, but must be from 1 to 100."),
        ({"allowed": Allowed(min_level=2)}, "allowed.min_level is 2, but must be one of 1, 3, 5."),
        ({"allowed": Allowed(families=frozenset())}, "No allowed suite interrupts the link for"),
        ({"stale_s": -1.0}, "stale_s is -1.0, but must be from 0.1 to 60."),
        ({"cooldown_s": float("nan")}, "cooldown_s is nan, but must be a finite number."),
        ({"link_loss": 1.5}, "link_loss is 1.5, but must be from 0 to 1."),
        ({"required_inputs": ("link",)}, "required_inputs must contain session."),
        ({"required_inputs": ("session", "wind")}, "required_inputs names 'wind'"),
        ({"expert": ExpertConfig(hot_suite="x")}, "expert.hot_suite is 'x', but must"),
    ],
)
def test_a_bad_configuration_is_reported_in_one_sentence(
    changes: dict[str, object], sentence: str
) -> None:
    with pytest.raises(ParameterFault) as fault:
        Policy(replace(PolicyConfig(), **changes))
    assert str(fault.value).startswith(sentence)


def test_advice_is_repeated_while_it_holds_and_pretends_no_rekey() -> None:
    policy = Policy(PolicyConfig(), advise_only=True, strategy=STEPPING)
    flight = take_off(policy, suite=MLKEM1024, obedient=False)
    flight.fly(20, c_per_min=9.0)
    advice = [d for d in flight.decisions if d.to_suite]
    assert len(advice) >= 10
    assert advice[0].reason.endswith("Advice only: no rekey is requested.")
    assert flight.state.pending is None
    assert flight.state.rekeys_s == ()
