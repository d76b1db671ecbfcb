# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Rules that bind every strategy bind rl and hybrid, too, however bad their agent is."""

from __future__ import annotations

import pytest
from bad_agents import BAD_AGENTS, BadAgent, NeverActs
from histories import Plan, plans
from hypothesis import given, settings
from pqc_learning.agent.strategies import LEARNED
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.profile import SHIPPED
from test_invariants import AN_ADVERSARY, hold_all, is_locked_out_for_a_while_at_most, make


def with_agent(strategy: str, agent: BadAgent, profile: str = SHIPPED[0]) -> Policy:
    return make(strategy, LEARNED[strategy](agent), profile)


@pytest.mark.parametrize("strategy", LEARNED)
@settings(max_examples=4)
@given(plan=plans())
def test_every_invariant_holds_with_the_shipped_agent_and_a_replay_is_equal(
    strategy: str, plan: Plan
) -> None:
    flight = plan.fly(make(strategy, profile=plan.profile))
    hold_all(flight)
    again = make(strategy, profile=plan.profile)
    replayed = again.replay(decision.inputs for decision in flight.decisions)
    assert [d.to_json() for d in replayed] == [d.to_json() for d in flight.decisions]


@pytest.mark.parametrize("strategy", LEARNED)
@pytest.mark.parametrize("agent", BAD_AGENTS)
@settings(max_examples=2)
@given(plan=plans(10))
def test_every_invariant_holds_however_bad_the_agent_is(
    strategy: str, agent: type[BadAgent], plan: Plan
) -> None:
    flight = plan.fly(with_agent(strategy, agent(plan.seed), plan.profile))
    assert any(decision.preference is not None for decision in flight.decisions)
    hold_all(flight)


@pytest.mark.parametrize("strategy", LEARNED)
@settings(max_examples=5)
@AN_ADVERSARY
def test_an_adversary_locks_nobody_out_for_longer_than_the_bound(
    strategy: str, refusals: list[bool], delays: list[float], blocked_s: float
) -> None:
    policy = with_agent(strategy, NeverActs(1))
    is_locked_out_for_a_while_at_most(policy, refusals, delays, blocked_s)
