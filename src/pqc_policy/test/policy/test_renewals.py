# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from itertools import pairwise

import pytest
from flight import LIGHTEST, MLKEM768, MLKEM1024, Flight, policy_with, take_off
from pqc_policy.policy.config import RekeyIntervals
from pqc_policy.policy.decision import Action
from pqc_policy.policy.inputs import Phase, Verdict
from pqc_policy.policy.suites import SUITES

SPHINCS = "cs-mlkem768-aesgcm-sphincs192f"
SPHINCS_S = "cs-mlkem768-aesgcm-sphincs192s"


def asked(flight: Flight) -> list[tuple[str, str, str | None]]:
    return [(d.rule, d.action.value, d.to_suite) for d in flight.decisions if d.to_suite]


@pytest.mark.parametrize("strategy", ["static", "telemetry_aware", "expert"])
@pytest.mark.parametrize("phase", [Phase.TAKE_OFF, Phase.LANDING])
def test_there_is_no_routine_rekey_in_take_off_and_landing(strategy: str, phase: Phase) -> None:
    flight = take_off(policy_with(strategy=strategy), phase=phase)
    flight.fly(200)
    assert asked(flight) == []
    flight.step(phase=Phase.TRANSIT)
    assert [action for _, action, _ in asked(flight)] == ["REKEY"]


@pytest.mark.parametrize(
    ("strategy", "most_s"),
    # An agent may spend the rekeys of a window at its begin.
    [("static", 130), ("telemetry_aware", 130), ("expert", 130), ("rl", 300), ("hybrid", 300)],
)
def test_a_second_of_bad_link_in_each_half_minute_does_not_stop_the_renewal(
    strategy: str, most_s: int
) -> None:
    flight = take_off(policy_with(strategy=strategy), phase=Phase.TRANSIT)
    for second in range(1200):
        flight.step(gap_s=1.5 if second % 30 == 0 else 0.02)
    assert all(b - a <= most_s for a, b in pairwise([1000.0, *flight.renewed_s, flight.now_s]))


def test_a_phase_that_never_ends_delays_a_rekey_by_a_bounded_time() -> None:
    flight = take_off(phase=Phase.LANDING)
    flight.fly(362)
    assert flight.renewed_s == [1362.0]


@pytest.mark.parametrize("phase", [Phase.TAKE_OFF, Phase.LANDING])
def test_keys_that_are_long_overdue_are_not_renewed_in_take_off_and_landing(phase: Phase) -> None:
    flight = take_off(phase=Phase.ON_GROUND, gap_s=2.0)
    flight.fly(420)
    flight.renewed_s.clear()
    flight.fly(120, phase=phase, gap_s=0.02)
    assert flight.renewed_s == []
    flight.step(phase=Phase.TRANSIT)
    assert flight.renewed_s == [flight.now_s]


@pytest.mark.parametrize("strategy", ["telemetry_aware", "expert"])
def test_an_attack_brings_fresh_keys_at_once(strategy: str) -> None:
    level_1 = frozenset(suite.id for suite in SUITES if suite.level == 1)
    flight = take_off(policy_with(strategy=strategy), blacklisted=level_1)
    flight.fly(20)
    assert flight.step(advisor=Verdict.ATTACK).action is Action.REKEY
    assert "attack" in flight.decisions[-1].reason


@pytest.mark.parametrize("strategy", ["static", "paper_2025"])
def test_strategies_without_the_advisor_ignore_an_attack(strategy: str) -> None:
    flight = take_off(policy_with(strategy=strategy))
    flight.fly(30, advisor=Verdict.ATTACK)
    assert asked(flight) == []


def test_events_are_limited_to_one_renewal_in_the_window() -> None:
    level_1 = frozenset(suite.id for suite in SUITES if suite.level == 1)
    flight = take_off(blacklisted=level_1)
    for second in range(900):
        flight.step(advisor=Verdict.ATTACK if second % 10 == 0 else Verdict.CLEAR)
    events = [d.t for d in flight.decisions if d.rule == "attack" and d.to_suite]
    assert len(events) == 3


def test_the_drones_of_a_fleet_renew_their_keys_at_different_times() -> None:
    first = []
    for name in ("alpha", "bravo", "charlie", "alpha"):
        flight = take_off(policy_with(identity=name))
        first.append(flight.until(Action.REKEY, 90).t)
    assert len(set(first)) == 3
    assert first[0] == first[3]
    assert all(1060.0 < at_s <= 1072.0 for at_s in first)


def test_the_drones_of_a_fleet_answer_a_warning_at_different_times() -> None:
    asked_s = []
    for name in ("", "alpha", "bravo", "charlie"):
        flight = take_off(policy_with(identity=name))
        flight.fly(20, warned=True)
        asked_s.append(next(d.t for d in flight.decisions if d.rule == "fleet" and d.to_suite))
    assert len(set(asked_s)) == 4
    assert asked_s[0] == 1002.0 and max(asked_s) <= 1012.0


def test_the_paper_s_table_knows_no_phases() -> None:
    paper = policy_with("raspberry_pi_5", strategy="paper_2025", identity="alpha")
    flight = take_off(paper, phase=Phase.TAKE_OFF)
    assert flight.until(Action.REKEY, 70).to_suite == MLKEM768
    flight.fly(100)
    assert len(take_off(paper, suite=MLKEM1024).fly(310)) == 310


def test_the_operator_is_told_of_more_than_3_percent_loss() -> None:
    flight = take_off()
    decisions = flight.fly(7, loss=0.04)
    assert not decisions[4].cue and not decisions[4].cue_id
    assert decisions[6].cue_id == "loss"
    assert decisions[6].cue.startswith("The link loses 4 % of the datagrams, more than 3 %: slow")
    assert not flight.fly(1, loss=0.03)[0].cue


@pytest.mark.parametrize("strategy", ["telemetry_aware", "expert"])
def test_a_warning_of_the_fleet_renews_the_keys_early_and_once(strategy: str) -> None:
    flight = take_off(policy_with(strategy=strategy))
    flight.fly(20)
    assert flight.step(warned=True).event == "fleet.rekey"
    assert flight.decisions[-1].reason.startswith("Another drone of the fleet reports an attack")
    flight.fly(40)
    assert [rule for rule, _, _ in asked(flight)] == ["fleet"]
    assert flight.suite == MLKEM768


def test_a_new_warning_renews_keys_again_only_after_a_while() -> None:
    flight = take_off(policy_with(warned_rekey_s=120.0, rekey_interval_s=RekeyIntervals(0.0)))
    for _ in range(24):
        flight.fly(5, warned=True)
        flight.fly(35, warned=False)
    times = [d.t for d in flight.decisions if d.rule == "fleet" and d.to_suite]
    assert len(times) == 8
    assert all(other - one >= 120.0 for one, other in pairwise(times))


def test_an_old_warning_counts_no_more() -> None:
    flight = take_off(warned=True, ages_s={"warned": 31.0})
    flight.fly(20)
    assert asked(flight) == []
    assert flight.step(ages_s={"warned": 29.0}).rule == "fleet"


def test_a_warning_comes_after_all_that_the_drone_sees_itself() -> None:
    hot = take_off(suite=MLKEM1024)
    assert hot.fly(3, temperature_c=90.0)[-1].rule == "emergency"
    hot = take_off(suite=LIGHTEST)
    hot.fly(2, temperature_c=90.0)
    assert hot.step(warned=True).rule == "emergency"


def test_a_warning_waits_for_the_end_of_take_off() -> None:
    flight = take_off(phase=Phase.TAKE_OFF, warned=True)
    flight.fly(30)
    assert asked(flight) == []
    assert flight.step(phase=Phase.HOVER).rule == "fleet"


def test_a_renewal_after_a_warning_that_fails_is_not_repeated() -> None:
    flight = take_off(warned=True, refused=frozenset({MLKEM768}), authenticated=False)
    flight.fly(40)
    assert [rule for rule, _, _ in asked(flight)] == ["fleet"]
