# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Strategies in which a trained agent takes part: what is open to it, and what it says."""

from __future__ import annotations

import pytest
from bad_agents import AlwaysHeavier, AlwaysLighter, BadAgent, NeverActs
from flight import MCELIECE5, MLKEM512, MLKEM768, MLKEM1024, Flight, policy_with, take_off
from pqc_learning.agent.choice import Choice
from pqc_learning.agent.strategies import LEARNED
from pqc_learning.closed_loop.worth import WEIGHTS
from pqc_policy.policy.config import RekeyIntervals
from pqc_policy.policy.decision import Action
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.explain.explain import explain
from pqc_policy.policy.inputs import Phase, Verdict
from pqc_policy.policy.suites import SUITES


def policy_of(strategy: str, agent: BadAgent | None = None, **changes: object) -> Policy:
    made = LEARNED[strategy](agent) if agent is not None else None
    return policy_with(strategy=strategy, made=made, **changes)


def flying(strategy: str, agent: BadAgent | None = None, **circumstances: object) -> Flight:
    return take_off(policy_of(strategy, agent), **circumstances)


def choices(flight: Flight) -> list[str]:
    return [d.preference.chosen for d in flight.decisions if d.preference is not None]


@pytest.mark.parametrize("strategy", LEARNED)
def test_the_shipped_agent_flies_and_explains_itself(strategy: str) -> None:
    flight = flying(strategy, phase=Phase.TRANSIT)
    flight.fly(400)
    asked = [d for d in flight.decisions if d.rule in ("agent", "leeway")]
    assert asked and all("The agent prefers" in d.reason for d in asked)
    text = explain(asked[-1], flight.policy, flight.state)
    assert "The agent's values: hold " in text
    assert "In the phase transit security counts 0.4, latency 0.3, power 0.3." in text


def test_an_explanation_names_what_speaks_most_for_the_choice() -> None:
    flight = flying("rl", phase=Phase.HOVER)
    decision = next(d for d in flight.fly(200) if d.preference and len(d.preference.able) > 1)
    assert decision.preference is not None and decision.preference.because
    text = explain(decision, flight.policy, flight.state)
    assert f"For {decision.preference.chosen} rather than {decision.preference.against}" in text


@pytest.mark.parametrize("strategy", LEARNED)
def test_emergencies_are_rules(strategy: str) -> None:
    flight = flying(strategy, AlwaysHeavier(1), suite=MLKEM1024, armed=False)
    decision = flight.fly(3, temperature_c=90.0)[-1]
    assert (decision.rule, decision.action) == ("emergency", Action.DOWN_TO_LIGHTEST)
    assert decision.preference is None


@pytest.mark.parametrize(
    "pressing", [{"loss": 0.5}, {"loss": 0.05}, {"temperature_c": 72.0}, {"voltage_v": 14.1}]
)
def test_an_agent_steps_down_only_while_something_presses_and_three_times_in_an_episode(
    pressing: dict[str, float],
) -> None:
    flight = flying("rl", AlwaysLighter(1), suite=MCELIECE5)
    flight.fly(60)
    assert flight.suite == MCELIECE5
    assert "one step down would be worth" in flight.decisions[-1].reason
    assert "but nothing presses" in flight.decisions[-1].reason
    flight.fly(120, **pressing)
    downs = [d for d in flight.decisions if d.action is Action.DOWN]
    assert len(downs) == 3
    assert "3 steps down are the limit of one episode" in flight.decisions[-1].reason


def test_in_hybrid_nobody_steps_down() -> None:
    flight = flying("hybrid", AlwaysLighter(1), suite=MLKEM1024)
    flight.fly(60, loss=0.5)
    assert Action.DOWN not in {d.action for d in flight.decisions}
    assert Choice.DOWN not in choices(flight)


def test_every_phase_has_its_weights() -> None:
    assert set(WEIGHTS) == set(Phase)
    for weights in WEIGHTS.values():
        assert weights.security + weights.latency + weights.power == pytest.approx(1.0)


@pytest.mark.parametrize("strategy", LEARNED)
def test_an_attack_against_which_no_suite_helps_is_named_beside_the_agent_s_preference(
    strategy: str,
) -> None:
    flight = flying(strategy, NeverActs(1))
    flight.fly(8, advisor=Verdict.ATTACK, attack_class="volumetric")
    held = flight.decisions[-1]
    assert (held.rule, held.action) == ("endure", Action.HOLD)
    assert held.reason.startswith("The agent prefers to hold")
    assert "Under attack (volumetric): the suite stays, for no suite" in held.reason


@pytest.mark.parametrize("strategy", LEARNED)
def test_a_step_up_needs_what_the_rule_upgrade_needs(strategy: str) -> None:
    flight = flying(strategy, AlwaysHeavier(1), suite=MLKEM512)
    flight.fly(60)
    assert flight.suite == MLKEM512
    flight.fly(25, armed=False, ages_s={"thermal": 9.0})
    flight.fly(10, ages_s={"battery": 9.0})
    assert flight.suite == MLKEM512
    flight.fly(400, ages_s={})
    assert flight.suite == MLKEM768  # the ceiling
    assert flight.fly(60)[-1].from_suite == MLKEM768


@pytest.mark.parametrize(("strategy", "latest_s"), [("rl", 121.0), ("hybrid", 61.0)])
def test_an_agent_may_put_renewals_off_for_one_interval_in_rl_and_not_at_all_in_hybrid(
    strategy: str, latest_s: float
) -> None:
    flight = flying(strategy, NeverActs(1))
    began_s = flight.now_s
    flight.fly(400)
    assert flight.renewed_s[0] - began_s == pytest.approx(latest_s, abs=2.0)
    # Then the other routine rekeys follow, as far as the limit allows.
    assert len(flight.renewed_s) >= 3


@pytest.mark.parametrize("strategy", LEARNED)
@pytest.mark.parametrize("phase", [Phase.TAKE_OFF, Phase.LANDING])
def test_no_agent_renews_keys_in_take_off_and_landing(strategy: str, phase: Phase) -> None:
    flight = flying(strategy, AlwaysHeavier(1), phase=phase)
    flight.fly(59)
    assert flight.renewed_s == []
    preference = flight.decisions[-1].preference
    assert preference is not None and preference.able == ("hold",)


@pytest.mark.parametrize("strategy", LEARNED)
def test_a_family_that_is_never_renewed_is_not_by_an_agent(strategy: str) -> None:
    never = RekeyIntervals(ml_kem=0.0)
    flight = take_off(policy_of(strategy, AlwaysHeavier(1), rekey_interval_s=never))
    flight.fly(300)
    assert flight.renewed_s == []


def test_on_a_thin_link_a_full_rekey_becomes_a_ratchet_whatever_the_agent_prefers() -> None:
    flight = flying("rl", AlwaysHeavier(1), rate_bytes_s=7200.0)
    flight.fly(100)
    asked = [d for d in flight.decisions if d.to_suite is not None]
    assert asked and all(d.ratchet for d in asked)


@pytest.mark.parametrize("strategy", LEARNED)
def test_an_agent_is_told_nothing_that_would_be_held(strategy: str) -> None:
    flight = flying(strategy, AlwaysHeavier(1))
    flight.fly(600, refused=frozenset(suite.id for suite in SUITES), authenticated=False)
    own = [d for d in flight.decisions if d.rule in ("agent", "leeway")]
    assert own and all(d.hold_reason is None for d in own)
