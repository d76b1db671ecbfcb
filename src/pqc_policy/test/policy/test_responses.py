# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from flight import MLKEM768, MLKEM1024, Flight, policy_with, take_off
from pqc_policy.policy.decision import Action
from pqc_policy.policy.inputs import Verdict
from pqc_policy.policy.responses import RESPONSES, UNKNOWN, FreshKeys, response_to
from pqc_policy.sensing.detectors.finding import Attack

CHOOSING = ("telemetry_aware", "expert")
HQC192 = "cs-hqc192-aesgcm-mldsa65"
JAMMING, VOLUMETRIC, PROTOCOL = (
    ("jamming", "loss", "fall"),
    ("volumetric", "flood", "surge"),
    ("protocol", "forgery", "replay"),
)


def attacked(
    attack_class: str, strategy: str = "telemetry_aware", suite: str = MLKEM768, seconds: int = 8
) -> Flight:
    """Return a flight whose keys were fresh, after so many seconds of an attack."""
    flight = take_off(policy_with(strategy=strategy), suite=suite)
    flight.step(advisor=Verdict.CLEAR)
    flight.fly(seconds, advisor=Verdict.ATTACK, attack_class=attack_class)
    return flight


def changes(flight: Flight) -> list[tuple[str, Action, bool]]:
    return [(d.rule, d.action, d.ratchet) for d in flight.decisions if d.to_suite is not None]


def test_every_class_of_the_detectors_has_a_response() -> None:
    assert {str(kind) for kind in Attack} - {""} <= set(RESPONSES)
    assert response_to("") is response_to("invented") is UNKNOWN


@pytest.mark.parametrize("response", [*RESPONSES.values(), UNKNOWN])
def test_no_response_leaves_out_its_reason(response: object) -> None:
    assert response.why and not response.why.endswith(".")


@pytest.mark.parametrize("attack_class", JAMMING)
@pytest.mark.parametrize("strategy", CHOOSING)
def test_jamming_renews_the_keys_by_a_ratchet_and_changes_no_suite(
    strategy: str, attack_class: str
) -> None:
    flight = attacked(attack_class, strategy)
    assert changes(flight) == [("attack", Action.REKEY, True)]
    (asked,) = (d for d in flight.decisions if d.to_suite)
    assert f"Under attack ({attack_class})" in asked.reason


@pytest.mark.parametrize("attack_class", VOLUMETRIC)
@pytest.mark.parametrize("strategy", CHOOSING)
def test_a_flood_changes_neither_suite_nor_keys(strategy: str, attack_class: str) -> None:
    flight = attacked(attack_class, strategy)
    assert changes(flight) == []
    held = flight.decisions[-1]
    assert held.rule == "endure"
    assert held.reason.startswith(f"Under attack ({attack_class}): the suite stays, for no suite")
    assert (held.cue_id, held.cue) == ("flood", response_to(attack_class).advice)


@pytest.mark.parametrize("strategy", ["static", *CHOOSING])
def test_a_flood_cannot_stop_the_renewal_of_keys(strategy: str) -> None:
    flight = attacked("volumetric", strategy, seconds=200)
    routine = [d for d in flight.decisions if d.to_suite is not None]
    assert len(routine) >= 3
    assert all(d.rule == "rekey" and d.ratchet for d in routine)
    assert routine[0].reason.endswith("under attack (volumetric): by a ratchet.")


@pytest.mark.parametrize("attack_class", PROTOCOL)
@pytest.mark.parametrize("strategy", CHOOSING)
def test_forged_and_repeated_datagrams_bring_fresh_keys_at_once_and_no_other_suite(
    strategy: str, attack_class: str
) -> None:
    flight = attacked(attack_class, strategy, seconds=20)
    assert changes(flight) == [("attack", Action.REKEY, False)]
    assert flight.decisions[2].to_suite == MLKEM768
    assert "recorded datagrams are void" in flight.decisions[2].reason


@pytest.mark.parametrize("strategy", CHOOSING)
def test_a_timing_attack_brings_fresh_keys_when_it_is_over(strategy: str) -> None:
    flight = attacked("timing", strategy)
    assert changes(flight) == []
    flight.fly(3, advisor=Verdict.CLEAR, attack_class=None)
    assert changes(flight) == [("attack", Action.REKEY, False)]
    assert "what was withheld is void" in flight.decisions[-3].reason


@pytest.mark.parametrize("strategy", CHOOSING)
def test_an_attack_that_creeps_is_reported_and_nothing_else(strategy: str) -> None:
    flight = attacked("creeping", strategy, seconds=20)
    flight.fly(20, advisor=Verdict.CLEAR, attack_class=None)
    assert changes(flight) == []
    cues = {(d.cue_id, d.cue.partition(",")[0]) for d in flight.decisions}
    assert cues == {("", ""), ("creeping", "The traffic has changed slowly")}


@pytest.mark.parametrize("strategy", CHOOSING)
@pytest.mark.parametrize("attack_class", sorted(RESPONSES))
def test_no_suite_gets_heavier_during_any_attack(strategy: str, attack_class: str) -> None:
    policy = policy_with(strategy=strategy, ceiling=MLKEM1024)
    flight = Flight(policy, armed=False, advisor=Verdict.ATTACK, attack_class=attack_class)
    flight.fly(120)
    assert all(d.action is not Action.UPGRADE for d in flight.decisions)


def test_an_attack_that_changes_its_class_gets_the_response_to_the_new_one() -> None:
    flight = attacked("creeping")
    assert changes(flight) == []
    flight.fly(8, attack_class="protocol")
    assert changes(flight) == [("attack", Action.REKEY, False)]


def test_a_verdict_that_no_longer_names_the_class_keeps_it() -> None:
    flight = attacked("creeping")
    flight.fly(8, attack_class=None)
    assert changes(flight) == []
    flight.fly(3, advisor=Verdict.CLEAR)
    flight.fly(8, advisor=Verdict.ATTACK)
    assert changes(flight) == [("attack", Action.REKEY, False)]


def test_the_published_table_ignores_every_class() -> None:
    for attack_class, response in RESPONSES.items():
        flight = attacked(attack_class, "paper_2025")
        assert changes(flight) == []
        assert flight.decisions[-1].rule == "nominal"
        assert response.keys in FreshKeys


def test_explain_names_the_class() -> None:
    from pqc_policy.policy.explain.explain import explain

    flight = attacked("timing")
    text = explain(flight.decisions[-1], flight.policy, flight.state)
    assert "attack, timing." in text


def test_every_advice_has_an_id() -> None:
    assert all(bool(r.advice) == bool(r.cue_id) for r in (*RESPONSES.values(), UNKNOWN))
