# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from itertools import pairwise

import pytest
from flight import (
    HQC256,
    LIGHTEST,
    MCELIECE3,
    MCELIECE5,
    MLKEM512,
    MLKEM768,
    MLKEM1024,
    Flight,
    policy_with,
    take_off,
)
from pqc_policy.policy.config import Allowed, PolicyConfig
from pqc_policy.policy.decision import Action
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.inputs import Verdict
from pqc_policy.policy.profile import parse_profile
from pqc_policy.policy.suites import KemFamily, find_suite

FRUGAL = "cs-mlkem1024-chacha20poly1305-falcon1024"
FASTEST = "cs-mlkem1024-chacha20poly1305-mldsa87"


def expert(**values: object) -> Flight:
    """Return a flight with every family allowed, and the costs of the papers."""
    policy = policy_with("raspberry_pi_4", strategy="expert", allowed=Allowed(experimental=True))
    return take_off(policy, **values)


def at_our_costs(**values: object) -> Flight:
    return take_off(policy_with(strategy="expert"), **values)


def removals(flight: Flight) -> dict[str, int]:
    return {removal.rule: removal.count for removal in flight.decisions[-1].removed}


def test_without_an_active_rule_the_balanced_suite_is_selected() -> None:
    flight = expert(suite=MCELIECE3)
    assert (flight.decisions[0].rule, flight.suite) == ("balanced", MLKEM768)


def test_heat_selects_ml_kem_512_with_ml_dsa_44() -> None:
    flight = expert(suite=MCELIECE3, temperature_c=71.0)
    decision = flight.decisions[0]
    assert (decision.rule, decision.action, decision.to_suite) == (
        "thermal",
        Action.DOWN,
        MLKEM512,
    )


def test_a_low_battery_selects_the_lowest_measured_power() -> None:
    flight = expert(suite=MCELIECE5, charge=0.29)
    decision = flight.decisions[0]
    # HQC-256 with 4.243 W takes less than this one by less than the error of 0.043 W.
    assert (decision.rule, decision.to_suite) == ("battery", FRUGAL)
    assert decision.reason.startswith("Battery low: 4.28 W, the lowest power that was measured")


@pytest.mark.parametrize("trouble", [{"loss": 0.031}, {"rtt_s": 0.101}, {"gap_s": 1.1}])
def test_a_bad_link_selects_the_fastest_handshake_at_the_highest_level(
    trouble: dict[str, float],
) -> None:
    flight = expert(suite=HQC256, charge=0.2)
    assert flight.suite == HQC256
    decisions = flight.fly(6, **trouble)
    assert [d.to_suite for d in decisions[:5]] == [None] * 5
    assert (decisions[5].rule, decisions[5].to_suite) == ("link", FASTEST)


def test_an_attack_selects_the_fastest_handshake_at_the_highest_level() -> None:
    flight = expert(suite=MCELIECE5, advisor=Verdict.ATTACK)
    decision = flight.decisions[0]
    assert (decision.rule, decision.to_suite) == ("advisor", FASTEST)
    assert flight.decisions[0].reason.startswith("Under attack")


def test_a_suspicion_alone_changes_nothing() -> None:
    assert expert(advisor=Verdict.SUSPICIOUS).fly(3)[-1].action is Action.HOLD


@pytest.mark.parametrize(
    ("temperature_c", "slow", "medium"),
    [(70.0, True, True), (70.001, True, True), (75.0, True, True), (75.001, False, False)],
)
def test_heat_excludes_slow_and_then_medium_handshakes(
    temperature_c: float, slow: bool, medium: bool
) -> None:
    flight = expert(suite=MCELIECE5, temperature_c=temperature_c)
    count = removals(flight).get("thermal", 0)
    assert (count == 0) is slow
    cooler = removals(expert(suite=MCELIECE5, temperature_c=70.5))["thermal"]
    assert (count <= cooler) is medium


@pytest.mark.parametrize(("charge", "level"), [(0.30, 0), (0.2999, 1), (0.15, 1), (0.1499, 2)])
def test_charge_has_a_low_and_a_critical_bin(charge: float, level: int) -> None:
    assert expert(charge=charge).state.levels.battery == level


def test_rules_clear_at_other_thresholds_than_they_become_active() -> None:
    flight = expert(temperature_c=70.1, charge=0.29)
    flight.step(temperature_c=65.1, charge=0.32)
    assert flight.state.levels.active == ("thermal", "battery")
    flight.step(temperature_c=65.0, charge=0.33)
    assert flight.state.levels.active == ()
    flight.fly(6, loss=0.05)
    assert flight.state.levels.active == ("link",)
    flight.step(loss=0.02)
    assert flight.state.levels.active == ("link",)
    flight.step(loss=0.01)
    assert flight.state.levels.active == ()


def test_decisions_name_the_active_rules_and_how_many_suites_each_excluded() -> None:
    flight = expert(suite=MCELIECE5, temperature_c=76.0, charge=0.1)
    fired = removals(flight)
    assert set(fired) == {"no_heavier", "thermal", "battery"}
    assert fired["thermal"] > 0
    assert fired["battery"] == 0


def test_a_rule_that_would_exclude_every_suite_excludes_none() -> None:
    only = frozenset({"cs-mlkem768-aesgcm-sphincs192s"})
    policy = policy_with(strategy="expert", allowed=Allowed(suites=only))
    flight = take_off(policy, suite=MCELIECE5, temperature_c=76.0)
    assert flight.suite in only


def test_suites_get_heavier_only_on_the_ground_after_30_s_of_calm() -> None:
    flight = expert(suite=MLKEM512)
    flight.fly(100)
    assert flight.suite == MLKEM512
    flight = expert(suite=MLKEM512, armed=False)
    assert {d.action for d in flight.fly(29)} == {Action.HOLD}
    decision = flight.step()
    assert (decision.action, decision.to_suite) == (Action.UPGRADE, MLKEM768)


def test_hqc_is_chosen_for_its_power_only_if_experimental_suites_are_allowed() -> None:
    flight = take_off(policy_with(strategy="expert"), suite=MCELIECE5, charge=0.2)
    chosen = find_suite(flight.suite)
    assert not chosen.experimental


def test_expert_renews_keys() -> None:
    assert expert().until(Action.REKEY, 70).to_suite == MLKEM768


def test_static_keeps_its_suite_and_renews_its_keys() -> None:
    flight = take_off(policy_with(strategy="static"), suite=MLKEM1024)
    flight.fly(100, gap_s=5.0, c_per_min=20.0, temperature_c=79.0)
    flight.fly(100, gap_s=0.01, c_per_min=0.0, temperature_c=50.0)
    assert {d.action for d in flight.decisions} == {Action.HOLD, Action.REKEY}
    assert flight.suite == MLKEM1024
    assert flight.fly(3, temperature_c=90.0)[-1].rule == "emergency", "no strategy lacks a guard"


def test_with_the_shipped_parameters_an_attack_renews_the_keys_once() -> None:
    flight = at_our_costs()
    flight.fly(20)
    (fresh, *later) = flight.fly(30, advisor=Verdict.ATTACK)
    assert (fresh.rule, fresh.action, fresh.to_suite) == ("attack", Action.REKEY, MLKEM768)
    assert fresh.reason.startswith("Under attack: fresh keys at once")
    assert {decision.to_suite for decision in later} == {None}


def test_with_the_shipped_parameters_a_bad_link_renews_the_keys_by_a_ratchet() -> None:
    flight = at_our_costs()
    flight.fly(20)
    decisions = flight.fly(300, loss=0.05)
    asked = [d for d in decisions if d.to_suite]
    assert (asked[0].rule, asked[0].action, asked[0].to_suite) == ("link", Action.REKEY, MLKEM768)
    assert asked[0].reason.startswith("Bad link: fresh keys at once by a ratchet")
    assert all(d.ratchet for d in asked) and len(asked) == 4


def test_a_verdict_that_flaps_does_not_stop_the_renewal_of_keys() -> None:
    flight = at_our_costs()
    for second in range(1800):
        flight.step(advisor=Verdict.ATTACK if second // 12 % 2 else Verdict.CLEAR)
    assert max(b - a for a, b in pairwise(flight.renewed_s)) <= 120.0


def test_a_difference_below_the_error_of_the_measurement_is_no_reason_to_switch() -> None:
    policy = policy_with("raspberry_pi_4", strategy="expert")
    flight = take_off(policy, suite="cs-mlkem1024-aesgcm-falcon1024", charge=0.29)
    decision = flight.decisions[0]
    assert (decision.rule, decision.to_suite) == ("battery", None)
    assert "no suite takes less power by more than 0.043 W" in decision.reason


def test_without_a_measured_power_a_low_battery_changes_nothing() -> None:
    decision = at_our_costs(charge=0.2).decisions[0]
    assert (decision.rule, decision.to_suite) == ("battery", None)


def test_heat_excludes_what_costs_the_drone_and_not_what_costs_the_ground() -> None:
    """The ground makes the keys of McEliece and signs with SPHINCS+."""
    flight = take_off(
        policy_with("raspberry_pi_5", strategy="expert", allowed=Allowed(experimental=True)),
        suite=MCELIECE3,
        temperature_c=71.0,
    )
    removed = removals(flight)
    assert removed["thermal"] == 0


def test_marginal_power_comes_before_that_of_the_whole_computer() -> None:
    profile = parse_profile(
        {
            "format": 1,
            "name": "mine",
            "base": "raspberry_pi_4",
            "busy_w": 1.5,
            "power_error_w": 0.001,
            "suites": {
                MLKEM768: {"cipher_w": 0.08, "power_w": 4.0},
                "cs-mlkem768-ascon128a-mldsa65": {"cipher_w": 0.02},
            },
        }
    )
    policy = Policy(PolicyConfig(strategy="expert"), profile)
    flight = take_off(policy, suite="cs-mlkem768-ascon128a-mldsa65", charge=0.2)
    assert flight.decisions[0].to_suite is None, "the lowest power of all, though not measured so"
    cost = profile.costs[MLKEM768]
    assert cost.marginal_w(60.0) == pytest.approx(0.08 + 1.5 * cost.drone_s / 60.0)


def test_a_lighter_suite_is_not_called_the_balanced_one() -> None:
    flight = at_our_costs(suite=MLKEM512)
    assert flight.decisions[-1].reason == (
        f"Nominal: the balanced suite, {MLKEM768}, is heavier and needs a disarmed drone and calm; "
        f"{MLKEM512} stays."
    )
    flight.fly(3, temperature_c=72.0, suite=LIGHTEST)
    flight.fly(10)
    assert flight.decisions[-1].reason == (
        f"Hot: the light suite, {MLKEM512}, is heavier and needs a disarmed drone and calm; "
        f"{LIGHTEST} stays."
    )


def test_while_the_balanced_suite_is_barred_the_next_lighter_one_takes_its_place() -> None:
    """Not the heaviest by number: that is Classic McEliece with SPHINCS+ at level 1."""
    flight = at_our_costs(suite=MLKEM512, armed=False)
    flight.until(Action.UPGRADE)
    assert Action.ROLLBACK in [d.action for d in flight.fly(6, blackouts=5)]
    flight.fly(120)
    assert flight.suite == MLKEM512
    assert flight.decisions[-1].reason == (
        f"Nominal: the balanced suite, {MLKEM768}, may not be chosen now; {MLKEM512} stays."
    )
    heavier = at_our_costs(suite=MLKEM1024, blacklisted=frozenset({MLKEM768}))
    assert heavier.decisions[0].to_suite == MLKEM512
    assert heavier.decisions[0].reason == (
        f"Nominal: the balanced suite, {MLKEM768}, may not be chosen now; {MLKEM512} is the "
        "nearest."
    )


def test_where_the_wanted_suite_is_not_allowed_an_equal_one_is_no_reason_for_a_switch() -> None:
    allowed = Allowed(min_level=5)
    flight = take_off(policy_with(strategy="expert", allowed=allowed), suite=MLKEM1024)
    flight.fly(5, temperature_c=72.0)
    assert flight.suite == MLKEM1024
    only = Allowed(families=frozenset({KemFamily.MCELIECE}))
    flight = take_off(policy_with(strategy="expert", allowed=only), suite=MCELIECE5)
    assert flight.suite == "cs-classicmceliece348864-aesgcm-mldsa44"


def test_a_low_battery_that_changes_nothing_says_so() -> None:
    flight = at_our_costs(charge=0.2)
    assert flight.decisions[-1].reason == (
        f"Battery low, and no suite was measured to take less power: {MLKEM768} stays."
    )
