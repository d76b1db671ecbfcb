# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of what the policy learns of its suites in a flight."""

from __future__ import annotations

from itertools import pairwise

import pytest
from flight import MLKEM512, MLKEM768, Flight, policy_with, take_off
from pqc_policy.policy.blacklist import barred_suites
from pqc_policy.policy.config import Allowed, RekeyIntervals
from pqc_policy.policy.inputs import Verdict
from pqc_policy.policy.learned import PRIOR, Samples
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import find_suite

NEVER = RekeyIntervals(ml_kem=0.0)
BOTH = Allowed(suites=frozenset({MLKEM512, MLKEM768}))
NOTHING: frozenset[str] = frozenset()


def renew(flight: Flight, suite: str, *, silence_s: float = 0.03, work_s: float = 0.0001) -> None:
    """Let the tunnel have new keys, whoever asked for them, and some seconds without data."""
    flight.suite, flight.epoch = suite, (flight.epoch + 1) % 256
    flight.keys_since_s = flight.now_s
    flight.fly(3, silence_s=silence_s, work_s=work_s)
    flight.fly(60, silence_s=0.03)


def barred(flight: Flight) -> frozenset[str]:
    return barred_suites(flight.state, flight.policy.order, NOTHING)


def cost_of(flight: Flight, suite_id: str) -> tuple[float, float]:
    suite = find_suite(suite_id)
    assert suite is not None
    policy = flight.policy
    s = Situation(
        policy.config, policy.profile, policy.order, flight.inputs(), flight.state, NOTHING
    )
    cost = s.cost(suite)
    return cost.handshake_s, cost.interruption_s


def static(**values: object) -> Flight:
    return take_off(policy_with(strategy="static", allowed=BOTH, rekey_interval_s=NEVER), **values)


def test_samples_give_mean_and_error_of_the_mean() -> None:
    samples = Samples().added(1.0, 1.0).added(2.0, 2.0).added(3.0, 6.0)
    assert (samples.count, samples.mean_s) == (3, 3.0)
    assert samples.error_s == pytest.approx((14 / 2 / 3) ** 0.5)
    assert samples.blended(0.0) == pytest.approx(9.0 / (PRIOR + 3))


def test_the_drone_s_work_counts_beside_the_prediction_and_is_bounded() -> None:
    flight = static()
    before_s, _ = cost_of(flight, MLKEM768)
    renew(flight, MLKEM768, work_s=0.01)
    after_s, _ = cost_of(flight, MLKEM768)
    drone_s = flight.policy.profile.costs[MLKEM768].drone_s
    assert after_s - before_s == pytest.approx((0.01 - drone_s) / (PRIOR + 1))
    renew(flight, MLKEM768, work_s=3600.0)
    assert cost_of(flight, MLKEM768)[0] < 0.04


@pytest.mark.parametrize("handshake_s", [0.16, 8.0])
def test_round_trips_that_an_attacker_or_a_long_link_stretches_steer_no_suite(
    handshake_s: float,
) -> None:
    flight = take_off(policy_with(strategy="expert"), rtt_s=0.15, handshake_s=handshake_s)
    flight.fly(900)
    flight.fly(200, advisor=Verdict.ATTACK, loss=0.4, rtt_s=2.0)
    assert {d.to_suite for d in flight.decisions} == {None, MLKEM768}


def test_a_ratchet_is_no_sample_of_its_suite() -> None:
    flight = static()
    flight.ratchets += 1
    renew(flight, MLKEM768, silence_s=9.0, work_s=0.05)
    assert not flight.state.learned.suites


def test_old_samples_do_not_count_while_new_ones_arrive() -> None:
    flight = static()
    for _ in range(4):
        renew(flight, MLKEM768, silence_s=4.0)
    slow = cost_of(flight, MLKEM768)[1]
    for _ in range(8):
        renew(flight, MLKEM768)
    assert cost_of(flight, MLKEM768)[1] < 0.2 < slow


def test_whoever_blocks_the_data_after_each_rekey_does_not_stop_the_renewal_of_keys() -> None:
    flight = take_off(policy_with())
    for _ in range(3600):
        fresh = flight.now_s - flight.keys_since_s < 6.0 and len(flight.renewed_s) > 0
        flight.step(silence_s=9.0 if fresh else 0.03)
    gaps = [b - a for a, b in pairwise(flight.renewed_s)]
    assert max(gaps) <= 300.0
    assert cost_of(flight, MLKEM768)[1] > 5.0


def test_one_bad_moment_excludes_no_suite() -> None:
    flight = static()
    renew(flight, MLKEM768, silence_s=60.0)
    assert barred(flight) == NOTHING


def test_a_suite_whose_rekeys_stop_the_data_again_and_again_is_not_chosen_for_a_while() -> None:
    flight = static()
    for _ in range(6):
        renew(flight, MLKEM768, silence_s=9.0)
    assert barred(flight) == NOTHING, "the suite in use is never barred"
    renew(flight, MLKEM512)
    assert barred(flight) == {MLKEM768}
    flight.fly(300)
    assert barred(flight) == NOTHING


def test_neither_the_last_suite_nor_an_emergency_s_is_excluded() -> None:
    flight = static()
    for suite in (MLKEM512, MLKEM768) * 6:
        renew(flight, suite, silence_s=9.0)
    assert barred(flight) == {MLKEM512}
    flight.policy = policy_with(allowed=BOTH, rekey_interval_s=NEVER)
    flight.fly(8, c_per_min=9.0)
    assert flight.suite == MLKEM768
    assert flight.fly(3, temperature_c=90.0)[-1].to_suite == MLKEM512


def test_a_silence_that_was_there_before_is_not_that_of_a_rekey() -> None:
    flight = static(silence_s=4.0)
    for _ in range(6):
        flight.fly(5, silence_s=4.0)
        flight.suite, flight.epoch = MLKEM768, flight.epoch + 1
        flight.keys_since_s = flight.now_s
        flight.fly(10, silence_s=4.0)
    assert cost_of(flight, MLKEM768)[1] < 0.2


def test_another_profile_begins_anew() -> None:
    flight = static()
    renew(flight, MLKEM768, work_s=0.01)
    flight.policy = policy_with("raspberry_pi_5", strategy="static", allowed=BOTH)
    flight.step()
    suite = find_suite(MLKEM768)
    assert suite is not None
    assert cost_of(flight, MLKEM768)[0] == flight.policy.profile.cost(suite).handshake_s
