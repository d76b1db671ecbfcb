# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Levels of the policy on /diagnostics: what waits its turn is no trouble."""

from __future__ import annotations

from diagnostic_msgs.msg import DiagnosticStatus
from diagnostic_updater import DiagnosticStatusWrapper
from flight import LIGHTEST, MLKEM1024, Flight, policy_with, stepping, take_off
from pqc_policy.nodes.policy_diagnostics import diagnose
from pqc_policy.policy.config import Allowed


class Caller:
    available = True
    trouble = None
    newest_answer = "none yet"


def status_of(flight: Flight) -> DiagnosticStatusWrapper:
    status = DiagnosticStatusWrapper()
    return diagnose(status, flight.policy, flight.state, flight.decisions[-1], Caller())


def value(status: DiagnosticStatusWrapper, key: str) -> str:
    return next(entry.value for entry in status.values if entry.key == key)


def test_a_wish_that_waits_for_the_limit_is_no_warning_however_long() -> None:
    flight = take_off(stepping(rekey_limit=1, rekey_reserve=0), suite=MLKEM1024)
    for _ in range(60):
        flight.step(c_per_min=9.0)
        if flight.decisions[-1].hold_reason is not None:
            assert status_of(flight).level == DiagnosticStatus.OK
    assert flight.decisions[-1].event == "stress.held.limit"


def test_a_degraded_mode_is_a_warning_that_names_what_is_missing() -> None:
    flight = take_off()
    flight.step(ages_s={"thermal": 9.0})
    status = status_of(flight)
    assert status.level == DiagnosticStatus.WARN
    assert value(status, "missing inputs") == "thermal"
    assert value(status, "rules that lack an input") == "upgrade"


def test_an_emergency_without_a_lighter_suite_is_an_error() -> None:
    only = Allowed(suites=frozenset({LIGHTEST}))
    flight = take_off(policy_with(allowed=only), suite=LIGHTEST)
    flight.fly(3, temperature_c=90.0)
    assert status_of(flight).level == DiagnosticStatus.ERROR


def test_loss_that_the_operator_should_know_of_is_a_warning() -> None:
    flight = take_off()
    flight.fly(8, loss=0.05)
    status = status_of(flight)
    assert status.level == DiagnosticStatus.WARN
    assert "slow the mission down" in status.message
