# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the explanation of decisions."""

from __future__ import annotations

from dataclasses import replace

from flight import MLKEM768, policy_with, take_off
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.explain import explain, freshness_of
from pqc_policy.policy.inputs import DecisionInput, Failure, Reading


def test_an_explanation_has_rule_reason_and_inputs() -> None:
    flight = take_off(policy_with(strategy="expert", required_inputs=("session",)))
    decision = flight.step(charge=0.2, ages_s={"battery": 0.4, "link": 3.0})
    lines = explain(decision, flight.policy.config).splitlines()
    assert lines[0] == "1970-01-01 00:16:42 UTC, strategy expert: DOWN by battery."
    assert lines[1].startswith(f"From {MLKEM768} to cs-")
    assert lines[2] == "Battery low: the lowest measured power."
    assert lines[3].startswith("Rule no_heavier excluded ")
    assert "Link: 0.020 s between datagrams (p95), 0.0% lost, 0.020 s round trip" in lines[5]
    assert lines[5].endswith("3.0 s old, too old.")
    assert lines[6] == "Battery: 15.60 V, -40 mV/min, 20% charged; 0.4 s old."
    assert lines[8] == "Power: never received."
    assert lines[9] == "Armed: yes; 0.1 s old."
    assert lines[11].startswith(f"Session: {MLKEM768}, epoch 1, keys ")


def test_an_input_that_was_never_received_differs_from_one_that_is_too_old() -> None:
    flight = take_off()
    decision = replace(flight.step(), inputs=DecisionInput(0.0, armed=Reading(True, 7.0)))
    freshness = dict(freshness_of(decision, PolicyConfig()))
    assert freshness["Armed"] == "7.0 s old, too old"
    assert freshness["Link"] == "never received"


def test_the_session_is_explained_with_its_newest_failure() -> None:
    flight = take_off()
    decision = flight.step(failure=Failure(1, MLKEM768, "it timed out"), rekeying=True)
    (line,) = (
        line
        for line in explain(decision, PolicyConfig()).splitlines()
        if line.startswith("Session")
    )
    assert "a rekey under way" in line
    assert f"newest failure: {MLKEM768} (it timed out)" in line
