# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The strategy that adds protection: what it asks for, when, and what that takes of the link."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from flight import MCELIECE3, MLKEM768, Flight, anchored, policy_with, take_off
from pqc_policy.policy.decision import Action, Decision
from pqc_policy.policy.explain.explain import explain
from pqc_policy.policy.inputs import Phase, Verdict
from pqc_policy.policy.protection import LAST_RESORT, ONE_TIME_BYTES, RATCHET_BYTES
from pqc_policy.policy.suites import find_suite

FRODO = "cs-frodokem976aes-aesgcm-mldsa65"
THIN = 5760.0
LATE = {"heal_s": 1800.0, "one_time_heal_s": 1800.0}


def fly(seconds: int = 0, parameters: dict[str, Any] | None = None, **circumstances: Any) -> Flight:
    """Return a flight that began with a one-time key of the anchor."""
    policy = policy_with(strategy="layered", **(parameters or {}))
    flight = take_off(policy, **({"chain": anchored()} | circumstances))
    flight.fly(seconds)
    return flight


def asked(flight: Flight, rule: str | None = None) -> list[Decision]:
    return [d for d in flight.decisions if d.to_suite and rule in (None, d.rule)]


def text_of(flight: Flight) -> str:
    return explain(flight.decisions[-1], flight.policy, flight.state)


@pytest.mark.parametrize("timed", [True, False], ids=["in a known time", "in an unknown one"])
def test_the_missing_form_is_fetched_and_mixed_in_and_the_light_suite_is_back(timed: bool) -> None:
    flight = fly(20, LATE, chain=anchored(timed=timed))
    fetch = next(d for d in flight.decisions if d.prefetch)
    assert (fetch.action, fetch.rule, fetch.prefetch) == (Action.HOLD, "layer", FRODO)
    there, back = (d for d in flight.decisions if d.action is Action.LAYER)
    assert (there.rule, there.to_suite) == ("layer", FRODO)
    assert (back.rule, back.to_suite, back.t - there.t) == ("back", MLKEM768, 6.0)
    assert ("plain", "ephemeral") in flight.chain.mixed


def test_forms_that_are_not_wanted_are_not_fetched_and_quasi_cyclic_codes_need_the_library() -> (
    None
):
    wanted = {"layers": ("structured", "quasi_cyclic"), **LATE}
    assert not [d for d in fly(60, wanted).decisions if d.prefetch]
    assert not [d for d in fly(60, {"layers": (), **LATE}).decisions if d.prefetch]


def test_a_session_that_began_with_the_last_resort_key_still_lacks_codes() -> None:
    mixed = {("structured", "ephemeral"): 1000.0, ("goppa", LAST_RESORT): 1000.0}
    flight = fly(60, LATE, chain=anchored(anchor=LAST_RESORT, mixed=mixed))
    assert MCELIECE3 in [d.to_suite for d in asked(flight, "layer")]
    assert not [d for d in asked(flight) if d.one_time_key]


def test_codes_are_refreshed_by_a_fetched_key_where_it_comes_in_time() -> None:
    flight = fly(120)
    fresh = [d.t for d in asked(flight, "refresh")]
    assert len(fresh) >= 4 and not [d for d in asked(flight) if d.one_time_key]
    assert all(d.to_suite == MCELIECE3 for d in asked(flight, "refresh"))


def test_codes_are_refreshed_by_one_time_keys_on_a_thin_link() -> None:
    flight = fly(600, rate_bytes_s=THIN)
    fresh = asked(flight, "refresh")
    assert all(d.ratchet and d.one_time_key and d.to_suite == MLKEM768 for d in fresh)
    assert 3 <= len(fresh) <= 5
    assert not [d for d in flight.decisions if d.prefetch == MCELIECE3]


def test_the_layer_that_comes_soonest_shares_the_airtime_with_no_other() -> None:
    rate = 20_000.0
    flight = fly(200, rate_bytes_s=rate)
    suite = find_suite(FRODO)
    assert suite is not None
    there = next(d for d in asked(flight, "layer"))
    assert there.to_suite == FRODO
    assert there.t - 1000.0 <= 1.1 * suite.rekey_bytes / (0.02 * rate)
    others = [d.t for d in flight.decisions if d.prefetch == MCELIECE3]
    assert others and min(others) > there.t


def test_a_one_time_key_that_is_refused_is_not_asked_for_again_for_300_s() -> None:
    flight = fly(400, rate_bytes_s=THIN, chain=anchored(one_time_keys=0))
    first, *others = [d.t for d in asked(flight) if d.one_time_key]
    assert all(at_s - first >= 300.0 for at_s in others)
    renewed = [at_s for at_s in flight.renewed_s if first < at_s < first + 60.0]
    assert renewed, "the routine goes on"


def spent(decision: Decision) -> float:
    """Return the bytes of a request, as the tunnel tells them."""
    if decision.ratchet:
        return ONE_TIME_BYTES if decision.one_time_key else RATCHET_BYTES
    suite = find_suite(decision.to_suite or "")
    assert suite is not None
    return float(suite.rekey_bytes - suite.prekey_bytes)


@pytest.mark.parametrize("rate", [720.0, THIN, 60_000.0])
def test_rekeys_and_fetches_stay_within_the_budget_of_airtime(rate: float) -> None:
    flight = fly(1800, rate_bytes_s=rate)
    fetched = sum(0.02 * rate for d in flight.decisions if _fetching(d))
    taken = fetched + sum(spent(d) for d in asked(flight))
    # Beside the budget go those that may not wait: a ratchet a minute, and one-time keys.
    beside = 30 * RATCHET_BYTES + 15 * ONE_TIME_BYTES
    assert taken <= 0.02 * rate * 1800 + beside


def _fetching(decision: Decision) -> bool:
    session = decision.inputs.session.value
    return session is not None and any(one.progress is not None for one in session.fetches)


def test_keys_are_renewed_each_10_s_where_the_link_affords_it() -> None:
    flight = fly(300, LATE)
    times = flight.renewed_s
    gaps = [b - a for a, b in pairwise(times)]
    assert max(gaps) <= 12.0
    routine = [d.t for d in asked(flight, "renew")]
    assert min(b - a for a, b in pairwise(routine)) >= 10.0


def test_keys_are_renewed_each_minute_while_a_fetch_takes_the_budget() -> None:
    flight = fly(150, LATE, rate_bytes_s=THIN)
    assert _fetching(flight.decisions[-1])
    gaps = [b - a for a, b in pairwise([1000.0, *flight.renewed_s])]
    assert len(gaps) >= 2 and max(gaps) <= 60.0 and min(gaps) >= 55.0
    assert all(d.ratchet for d in asked(flight))


@pytest.mark.parametrize("rate", [THIN, 2.0 * THIN])
def test_renewals_take_at_most_a_tenth_of_what_is_saved_for_a_layer(rate: float) -> None:
    flight = fly(600, LATE, rate_bytes_s=rate)
    suite = find_suite(FRODO)
    assert suite is not None
    at_s = next(d.t for d in asked(flight, "layer")) - 1000.0
    saving_s = at_s - suite.prekey_bytes / (0.02 * rate)
    before = 5.0 * RATCHET_BYTES  # in the time of the fetch
    needed = suite.rekey_bytes - suite.prekey_bytes + before
    assert 0.9 * 0.02 * rate * (saving_s - 5.0) <= needed


def test_keys_of_a_fleet_become_no_older_than_any_others() -> None:
    flight = fly(300, {**LATE, "identity": "alpha"}, rate_bytes_s=THIN)
    assert max(b - a for a, b in pairwise([1000.0, *flight.renewed_s])) <= 60.0


def test_a_key_that_a_rekey_has_taken_is_not_fetched_again() -> None:
    flight = fly(4, LATE, chain=anchored(left={FRODO: 0.0}), obedient=False)
    flight.chain.left.clear()
    flight.fly(20)
    assert not [d for d in flight.decisions if d.prefetch]


def test_reports_that_somebody_holds_back_leave_a_ratchet_each_minute() -> None:
    flight = fly(10, LATE)
    before = len(flight.decisions)
    flight.fly(300, ages_s={"link": 30.0})
    late = [d for d in flight.decisions[before:] if d.to_suite]
    assert 4 <= len(late) <= 6 and all(d.ratchet and d.rule == "renew" for d in late)


STRAINS: dict[str, dict[str, Any]] = {
    "bad link": {"gap_s": 2.0},
    "loss": {"loss": 0.3},
    "attack": {"advisor": Verdict.ATTACK, "attack_class": "creeping"},
    "heat": {"temperature_c": 81.0},
    "low battery": {"voltage_v": 13.9},
    "landing": {"phase": Phase.LANDING},
}


@pytest.mark.parametrize("strain", STRAINS)
def test_pressed_it_adds_no_layer_and_takes_none_away(strain: str) -> None:
    flight = fly(20, LATE, chain=anchored(left={FRODO: 0.0}), **STRAINS[strain])
    assert not [d for d in asked(flight) if d.action is Action.LAYER]
    assert ("goppa", "one_time") in flight.chain.mixed
    eased = dict.fromkeys(("gap_s", "loss", "temperature_c", "voltage_v", "advisor", "phase"))
    flight.fly(30, **{name: getattr(Flight, name) for name in eased})
    assert ("plain", "ephemeral") in flight.chain.mixed


def test_a_fetch_that_somebody_stalls_keeps_no_renewal_away() -> None:
    flight = fly(600, LATE, chain=anchored(stalled=True))
    assert ("plain", "ephemeral") not in flight.chain.mixed
    assert len(flight.renewed_s) >= 50
    assert len([d for d in flight.decisions if d.prefetch]) == 1


def test_the_landing_renews_the_keys_at_once() -> None:
    flight = fly(3, LATE, rate_bytes_s=THIN)
    flight.fly(20)
    flight.phase = Phase.LANDING
    first = next(d for d in flight.fly(12) if d.to_suite)
    assert first.rule == "landing"


def test_an_emergency_is_not_hidden_by_a_rekey_under_way() -> None:
    flight = fly(10, LATE, suite="cs-mlkem1024-aesgcm-mldsa87")
    flight.fly(3, voltage_v=13.0, rekeying=True, obedient=False)
    (decision,) = [d for d in flight.decisions if d.rule == "emergency" and d.to_suite]
    assert decision.action is Action.DOWN_TO_LIGHTEST


@pytest.mark.parametrize(("rekey_s", "patience_s"), [(1.0, 60.0), (100.0, 200.0)])
def test_a_slow_rekey_has_the_time_that_the_tunnel_predicts(
    rekey_s: float, patience_s: float
) -> None:
    chain = anchored(rekey_s=rekey_s, left={FRODO: 0.0})
    flight = fly(4, LATE, chain=chain, obedient=False)
    pending = flight.state.pending
    assert pending is not None and (pending.target, pending.patience_s) == (FRODO, patience_s)
    flight.fly(int(patience_s) - 5)
    assert flight.state.pending == pending
    flight.fly(5)
    assert flight.state.failed is not None and flight.state.failed.suite == FRODO


def test_an_explanation_says_what_protects_what_comes_next_and_what_it_waits_for() -> None:
    flight = fly(3, LATE, rate_bytes_s=THIN)
    text = text_of(flight)
    assert "whoever records must break lattices and codes" in text
    assert "a layer of plain lattices by FrodoKEM-976" in text
    flight.fly(5)
    assert "% of its key are there" in text_of(flight)
    flight.fly(8, gap_s=2.0)
    assert "waits: the link is bad" in text_of(flight)


def test_a_suite_of_another_kem_is_left_even_after_a_restart_of_the_policy() -> None:
    flight = fly(0, LATE, suite=MCELIECE3)
    assert (flight.decisions[0].rule, flight.decisions[0].to_suite) == ("back", MLKEM768)


def test_without_a_word_of_the_tunnel_it_renews_keys_and_nothing_else() -> None:
    flight = fly(120, LATE, chain=replace(anchored(), told=False, anchor=""))
    assert {d.rule for d in asked(flight)} == {"renew"}
    assert not [d for d in flight.decisions if d.prefetch]
