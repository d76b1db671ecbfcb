# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from flight import MLKEM512, MLKEM768, MLKEM1024, Flight, policy_with, stepping, take_off
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.decision import Action
from pqc_policy.policy.explain.explain import explain, freshness_of
from pqc_policy.policy.inputs import DecisionInput, Failure, Phase, Reading


def explained(flight: Flight, **changes: Any) -> str:
    """Return the explanation of a flight's next decision."""
    decision = flight.step(**changes)
    return explain(decision, flight.policy, flight.state)


def test_an_explanation_begins_with_the_decision_and_its_reason() -> None:
    assert explained(take_off()).startswith(
        f"The policy keeps {MLKEM768}: no rule proposes a change.\n"
        "Decision: HOLD by rule nominal of strategy telemetry_aware, 1970-01-01 00:16:42 UTC.\n"
    )
    flight = take_off(temperature_c=90.0)
    flight.step()
    emergency = explained(flight)
    assert emergency.startswith(f"The policy requests a change from {MLKEM768} to ")
    assert ": the computer is at 90.0 °C, above 80.0 °C: to the lightest suite" in emergency


def test_every_input_has_its_age_and_values_and_every_rule_its_thresholds() -> None:
    text = explained(take_off(), ages_s={"battery": 0.4})
    for sentence in (
        "Link (0.1 s old): gap between datagrams 0.020 s, 0.0% lost, round trip 0.020 s, "
        "0 blackouts so far.",
        "Battery (0.4 s old): 15.60 V, -40 mV/min, 90% charged.",
        "Temperature (0.1 s old): 55.0 °C, +0.0 °C/min.",
        "The data is protected by ML-KEM-768 (structured lattices), ML-DSA-65 and AES-256-GCM: "
        "level 3, keys 2 s old.",
        "Rule nominal: hold, for no other rule applies.",
        "Guards: session (stale_s 2), emergency (emergency_voltage_v 14, "
        "emergency_temperature_c 80), ",
        "link_gap_s 1, link_loss 0.25, link_rtt_s 1), upgrade (upgrade_stable_s 30, ",
        "Power: never received.",
        "Armed (0.1 s old): yes.",
        "Advisor: never received.",
        f"Session (0.1 s old): {MLKEM768}, epoch 1, keys 2 s old.",
        "Rekeys requested in the last 300 s: 0 of at most 5.",
    ):
        assert sentence in text


def test_the_expert_strategy_shows_its_own_thresholds_and_exclusions() -> None:
    flight = take_off(policy_with(strategy="expert"))
    text = explained(flight, charge=0.2)
    assert "Rule no_heavier excludes " in text and "Rule battery excludes " in text
    assert "20% charged" in text
    assert "Wishes: choose (expert.balanced_suite " in text and "expert.rtt_high_s 0.1" in text
    assert "expert.warm_c 70, expert.hot_c 75, expert.charge_low 0.3" in text


def test_missing_inputs_are_named_with_their_age_and_the_advice_follows_the_reason() -> None:
    flight = take_off()
    decision = flight.step(absent=frozenset({"thermal"}), ages_s={"armed": 2.001})
    text = explain(decision, flight.policy, flight.state, "Connect a sensor.")
    assert text.startswith(
        f"The policy keeps {MLKEM768}: no temperature has been received. "
        "The newest armed state is 2.001 s old, more than 2.000 s. "
        "Meanwhile upgrade can't act.\nConnect a sensor.\n"
    )
    assert (
        "Required but missing: temperature (never received), "
        "armed state (2.001 s old, more than 2.000 s)." in text
    )
    assert "Rules that can't act without their inputs: upgrade (" in text
    assert "Next: every rule acts again after a new temperature, a new armed state; " in text


def test_a_held_rekey_has_its_reason_and_its_latest_end() -> None:
    flight = take_off(stepping(), suite=MLKEM1024, obedient=False)
    flight.fly(6, c_per_min=9.0)
    text = explained(flight)
    assert f"held because the rekey to {MLKEM768}, requested 1 s ago, is not done." in text
    assert "This lasts until 00:17:47 UTC at the latest (59 s)." in text
    assert f"Next: the policy waits for the rekey to {MLKEM768}, for at most 59 s more" in text


@pytest.mark.parametrize(
    ("bytes_s", "source", "meaning"),
    [
        (5760.0, "configured", "a link of 46.08 kbit/s (configured), "),
        (5760.0, "saturation", "a link of 46.08 kbit/s (measured while it was full), "),
        (18_243_000.0, "streams", "a link of 145.9 Mbit/s (measured), "),
        (125_000.0, "", "a link of 1 Mbit/s, "),
    ],
)
def test_the_rate_of_a_link_is_explained_in_bits_with_where_it_comes_from(
    bytes_s: float, source: str, meaning: str
) -> None:
    assert meaning in explained(take_off(rate_bytes_s=bytes_s), rate_source=source)


def test_the_limit_of_rekeys_is_explained_with_the_time_of_the_next_one() -> None:
    flight = take_off(stepping(rekey_limit=1, rekey_reserve=0))
    flight.fly(62)
    text = explained(flight, c_per_min=9.0)
    text = [explained(flight) for _ in range(6)][-1]
    assert "held because 1 rekey in 300 s is the limit; the next one may follow in " in text
    assert "at the latest" not in text


@pytest.mark.parametrize(
    ("flight", "changes", "what"),
    [
        (take_off(), {}, "fresh keys in 60 s if nothing else happens."),
        (
            take_off(stepping()),
            {"c_per_min": 9.0},
            "one step down if the stress lasts for 5 s more; ",
        ),
        (
            take_off(stepping()),
            {"gap_s": 2.0},
            "one step down if the link stays bad for 5 s more; ",
        ),
        (take_off(suite=MLKEM512), {}, "; one step up only while disarmed."),
        (
            take_off(suite=MLKEM512, armed=False),
            {},
            "; one step up after 29 s more of calm on the ground.",
        ),
        (take_off(), {"suite": ""}, "every rule acts again after a session."),
        (take_off(), {"rekeying": True}, "the policy waits for the end of the rekey"),
        (
            take_off(suite="cs-classicmceliece348864-aesgcm-mldsa44"),
            {},
            "keys of the family mceliece are not renewed by their age",
        ),
    ],
)
def test_an_explanation_ends_with_what_the_next_decision_depends_on(
    flight: Flight, changes: dict[str, Any], what: str
) -> None:
    assert what in explained(flight, **changes).partition("Next: ")[2]


def test_a_renewal_of_a_fleet_is_foretold_with_its_stagger() -> None:
    flight = take_off(policy_with(identity="alpha"))
    foretold = explained(flight).partition("fresh keys in ")[2].partition(" s")[0]
    before_s = flight.now_s
    flight.until(Action.REKEY)
    assert flight.now_s - before_s == pytest.approx(float(foretold), abs=1.0)
    assert flight.now_s - before_s > 61.0


def test_a_renewal_that_waits_for_a_phase_is_foretold_with_its_latest_time() -> None:
    flight = take_off(phase=Phase.LANDING)
    flight.fly(70)
    foretold = explained(flight).partition("fresh keys in another phase, or in ")[2].split(" ")[0]
    before_s = flight.now_s
    flight.until(Action.REKEY)
    assert flight.now_s - before_s == pytest.approx(float(foretold), abs=1.0)


def test_an_input_that_was_never_received_differs_from_one_that_is_too_old() -> None:
    flight = take_off()
    decision = replace(flight.step(), inputs=DecisionInput(0.0, armed=Reading(True, 7.0)))
    freshness = dict(freshness_of(decision, PolicyConfig()))
    assert freshness["Armed"] == "7.0 s old, more than 2.0 s"
    assert freshness["Link"] == "never received"


def test_the_session_is_explained_with_its_newest_failure() -> None:
    flight = take_off()
    text = explained(flight, failure=Failure(1, MLKEM768, "it timed out"), rekeying=True)
    assert "a rekey is under way, " in text
    assert f"the newest failed rekey was to {MLKEM768} (it timed out)." in text


def test_an_explanation_has_short_lines_and_no_name_of_a_python_object() -> None:
    for strategy in ("telemetry_aware", "expert"):
        flight = take_off(policy_with(strategy=strategy), suite=MLKEM1024)
        for changes in ({}, {"gap_s": 3.0}, {"temperature_c": 90.0}, {"suite": ""}):
            text = explained(flight, **changes)
            assert not re.search(r"None|nan|object at|frozenset|  ", text), text
            assert max(map(len, text.splitlines())) < 450, text


def test_after_the_clock_was_set_an_explanation_has_the_time_that_it_shows() -> None:
    flight = take_off()
    text = explain(flight.step(), flight.policy, flight.state, set_s=86400.0)
    assert "1970-01-02 00:16:42 UTC." in text
