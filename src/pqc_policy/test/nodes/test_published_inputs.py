# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A published decision has everything that it was made from: replayed, it is the same."""

from __future__ import annotations

from flight import Flight, policy_with, stepping
from histories import Plan, plans
from hypothesis import given, settings
from hypothesis import strategies as st
from pqc_policy.nodes.decision_message import decision_message
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.inputs import Computer, Failure, Held, Phase, Verdict
from pqc_policy.policy.strategies.registry import STRATEGIES
from pqc_policy.policy.telemetry import NANOSECONDS
from published_inputs import inputs_of


def published(decision: Decision) -> object:
    return decision_message(decision, round(decision.t * NANOSECONDS))


@settings(max_examples=5)
@given(plan=plans(4), strategy=st.sampled_from(sorted(STRATEGIES)))
def test_decisions_made_again_from_published_inputs_are_the_same_byte_for_byte(
    plan: Plan, strategy: str
) -> None:
    flight = plan.fly(policy_with(strategy=strategy))
    told = [inputs_of(published(decision)) for decision in flight.decisions]
    again = policy_with(strategy=strategy).replay(told)
    assert [d.to_json() for d in again] == [d.to_json() for d in flight.decisions]


def test_every_input_is_published() -> None:
    flight = Flight(
        policy_with(),
        ratchets=7,
        phase=Phase.HOVER,
        computer=Computer(0.5, 0.25, throttled=False),
        power_w=4.5,
        endurance_s=900.0,
        rate_bytes_s=5760.0,
        rate_source="saturation",
        advisor=Verdict.SUSPICIOUS,
        held=Held("cs-mlkem512-aesgcm-mldsa44", 2000.0),
        warned=True,
        failure=Failure(2, "cs-mlkem512-aesgcm-mldsa44", "it timed out", authenticated=True),
    )
    decision = flight.step()
    assert inputs_of(published(decision)) == decision.inputs


def test_a_message_tells_event_hold_and_whether_anything_was_asked() -> None:
    flight = Flight(stepping(rekey_limit=1, rekey_reserve=0), suite="cs-mlkem1024-aesgcm-mldsa87")
    flight.fly(7, c_per_min=9.0)
    down = next(d for d in flight.decisions if d.to_suite)
    message = published(down)
    assert (message.event, message.asked, message.hold) == ("stress.down", True, "")
    flight.fly(12)
    message = published(flight.decisions[-1])
    assert (message.event, message.asked) == ("stress.held.limit", False)
    assert message.hold == "limit"
    flight.step(absent=frozenset({"thermal"}))
    message = published(flight.decisions[-1])
    assert (list(message.missing), "upgrade" in message.inactive) == (["thermal"], True)
