# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What every strategy must hold to, rl and hybrid hold to however bad their agent is."""

from __future__ import annotations

import pytest
from bad_agents import BAD_AGENTS, AlwaysHeavier, AlwaysLighter, BadAgent, NeverActs
from flight import Flight
from histories import Plan, plans
from hypothesis import given, settings
from hypothesis import strategies as st
from pqc_learning.agent.strategies import LEARNED
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.profile import SHIPPED
from pqc_policy.policy.suites import find_suite
from test_invariants import (
    changes,
    flyable,
    hold_all,
    is_locked_out_for_a_while_at_most,
    make,
    stays_above_the_floor,
)


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
@settings(max_examples=6)
@given(suite=st.sampled_from(flyable()), gap_s=st.floats(1.01, 20.0), armed=st.booleans())
def test_suites_only_get_lighter_while_stress_rises(
    strategy: str, suite: str, gap_s: float, armed: bool
) -> None:
    flight = Flight(with_agent(strategy, AlwaysHeavier(1)), suite=suite, armed=armed)
    for second in range(200):
        flight.step(gap_s=gap_s * (1 + second / 100), temperature_c=60.0 + second / 10, loss=0.1)
    for decision in changes(flight):
        if decision.to_suite != decision.from_suite:
            before, after = find_suite(decision.from_suite), find_suite(decision.to_suite)
            assert flight.policy.order.lighter(after, before)


@pytest.mark.parametrize("strategy", LEARNED)
@settings(max_examples=5)
@given(
    suite=st.sampled_from(flyable()),
    silences=st.lists(st.tuples(st.integers(1, 60), st.floats(0.0, 30.0)), max_size=30),
    losing=st.floats(0.0, 1.0),
)
def test_a_jammer_that_only_drops_packets_can_force_at_most_the_floor(
    strategy: str, suite: str, silences: list[tuple[int, float]], losing: float
) -> None:
    flight = Flight(with_agent(strategy, AlwaysLighter(1)), suite=suite)
    stays_above_the_floor(flight, silences, losing)


@pytest.mark.parametrize("strategy", LEARNED)
@settings(max_examples=5)
@given(
    refusals=st.lists(st.booleans(), min_size=60, max_size=600),
    delays=st.lists(st.floats(0.001, 30.0), min_size=1, max_size=20),
    blocked_s=st.floats(0.0, 10.0),
)
def test_an_adversary_locks_nobody_out_for_longer_than_the_bound(
    strategy: str, refusals: list[bool], delays: list[float], blocked_s: float
) -> None:
    policy = with_agent(strategy, NeverActs(1))
    is_locked_out_for_a_while_at_most(policy, refusals, delays, blocked_s)
