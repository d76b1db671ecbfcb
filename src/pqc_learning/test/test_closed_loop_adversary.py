# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""An adversary who may drop, delay and block anything gets at most the floor, and for a while."""

from __future__ import annotations

import pytest
from closed_loop_flights import plan
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pqc_learning.closed_loop.contestants import BASELINE_NAMES, contestants
from pqc_learning.closed_loop.cost_set import cost_sets
from pqc_learning.closed_loop.flight_plan import Adversary, Attack, PreparedFlight
from pqc_learning.closed_loop.fly import Flight
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.strategies.registry import find_strategy
from pqc_policy.policy.wishes.rekey import overdue
from pqc_sim.flights.script import Silence
from pqc_sim.physics.air import Air, Spell

ATTACK_ENDS_S = 240.0
# Long enough to see a lock-out that exceeds the bound.
SECONDS = ATTACK_ENDS_S + 420.0
# The other baselines differ by suite or anchor, or promise nothing.
_OTHERS = {*BASELINE_NAMES} - {"static_default"}
STRATEGIES = tuple(name for name in contestants() if name not in _OTHERS)

times = st.tuples(st.floats(20.0, 200.0), st.floats(5.0, ATTACK_ENDS_S)).map(
    lambda pair: (pair[0], min(pair[0] + pair[1], ATTACK_ENDS_S))
)
attacks = st.builds(
    lambda attack, time, delay_s: Adversary(attack, *time, delay_s=delay_s),
    st.sampled_from(Attack),
    times,
    st.floats(0.1, 12.0),
)
airs = st.builds(
    lambda loss, delay_s: Air(loss=loss, delay_s=delay_s), st.floats(0.1, 1.0), st.floats(0.01, 3.0)
)
spells = st.builds(lambda time, up, down: Spell(*time, up, down), times, airs, st.none() | airs)


def longest_lockout_s(config: PolicyConfig) -> float:
    """Return the longest time until keys are renewed, once the link works again.

    A full window of the limit of rekeys, then the interval of renewals; or, which is shorter by
    default, a request whose answer was lost, the longest wait for a retry, and the interval.
    """
    interval_s = config.rekey_interval_s.ml_kem
    if overdue in find_strategy(config.strategy).rules:
        interval_s *= config.latest_intervals
    waits_s = max(config.rekey_window_s, config.pending_s + config.retry_most_s)
    return waits_s + interval_s


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=3)
@given(
    adversaries=st.lists(attacks, min_size=1, max_size=3),
    air=st.lists(spells, max_size=3),
    seed=st.integers(1, 10_000),
)
def test_it_gets_at_most_the_floor_and_no_lockout_beyond_the_bound(
    strategy: str, adversaries: list[Adversary], air: list[Spell], seed: int
) -> None:
    prepared = PreparedFlight(
        plan(SECONDS, plan={"adversaries": tuple(adversaries)}, spells=tuple(air), seed=seed)
    )
    for costs in ("tunnel", "tunnel_floor_1"):
        flight = Flight(prepared, contestants()[strategy], cost_sets()[costs])
        outcome = flight.fly()
        assert outcome.lockout_s <= longest_lockout_s(flight.policy.config)
        below = [level for level in (1, 3, 5) if level < cost_sets()[costs].min_level]
        assert all(outcome.seconds_at_level[str(level)] == 0.0 for level in below)


@pytest.mark.parametrize("strategy", STRATEGIES)
@settings(max_examples=3)
@given(
    attack=st.sampled_from(Attack),
    period_s=st.floats(15.0, 70.0),
    length_s=st.floats(0.5, 3.0),
    delay_s=st.floats(0.1, 12.0),
)
def test_pulses_of_an_attack_do_not_stop_renewal(
    strategy: str, attack: Attack, period_s: float, length_s: float, delay_s: float
) -> None:
    # The papers' table renews after a calm interval only, and silence of the ground is not calm.
    assume(strategy != "paper_2025" or attack is not Attack.MUTE_REPORTS)
    starts_s = [20.0 + period_s * turn for turn in range(int((SECONDS - 20.0) / period_s))]
    pulses = tuple(Adversary(attack, at_s, at_s + length_s, delay_s) for at_s in starts_s)
    prepared = PreparedFlight(plan(SECONDS, plan={"adversaries": pulses}))
    flight = Flight(prepared, contestants()[strategy], cost_sets()["tunnel_floor_1"])
    assert flight.fly().lockout_s <= longest_lockout_s(flight.policy.config)


def test_a_disturbance_stops_the_count_of_a_lockout_and_does_not_end_it() -> None:
    """Without reports of the link no strategy renews the keys."""
    pulses = tuple(Adversary(Attack.BLOCK_KEYS, at_s, at_s + 1.0) for at_s in range(30, 660, 30))
    silent = (Silence(("link",), 0.0, SECONDS),)
    prepared = PreparedFlight(plan(SECONDS, plan={"adversaries": pulses}, silences=silent))
    outcome = Flight(prepared, contestants()["static_default"], cost_sets()["tunnel"]).fly()
    assert outcome.done == 0
    assert 0.7 * SECONDS < outcome.lockout_s < SECONDS


def test_the_bound_is_that_of_the_limit_of_rekeys_and_the_interval() -> None:
    config = contestants()["telemetry_aware"].policy(cost_sets()["tunnel"]).config
    assert longest_lockout_s(config) == 360.0


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_silences_after_each_rekey_do_not_stop_renewal(strategy: str) -> None:
    """Data dropped after each change of keys looks as if the suite interrupted the link."""
    attack = Adversary(Attack.DROP_AFTER_REKEY, 10.0, 620.0)
    prepared = PreparedFlight(plan(1040.0, plan={"adversaries": (attack,)}))
    flight = Flight(prepared, contestants()[strategy], cost_sets()["tunnel_floor_1"])
    assert flight.fly().lockout_s <= longest_lockout_s(flight.policy.config)
