# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The inputs of a decision, from a PolicyDecision message: enough to decide it again."""

from __future__ import annotations

from typing import Any, TypeVar

from pqc_policy.policy.inputs import (
    Battery,
    Computer,
    DecisionInput,
    Failure,
    Held,
    Link,
    Phase,
    Reading,
    Session,
    Thermal,
    Verdict,
    known,
)
from pqc_policy.policy.telemetry import numbers_of, read_fetch, read_layer

T = TypeVar("T")


def inputs_of(decision: Any) -> DecisionInput:
    """Return the inputs; a number that is not finite was unknown."""
    told = decision.inputs
    return DecisionInput(
        now_s=decision.stamp.sec + decision.stamp.nanosec / 1e9,
        link=_reading(told.link_age_s, _link(told)),
        battery=_reading(
            told.battery_age_s,
            numbers_of(Battery, told, "battery_", cells=int(told.battery_cells)),
        ),
        thermal=_reading(told.thermal_age_s, numbers_of(Thermal, told, "thermal_")),
        power_w=_reading(told.power_age_s, told.power_w),
        armed=_reading(told.armed_age_s, bool(told.armed)),
        advisor=_reading(
            told.advisor_age_s, Verdict(told.advisor_verdict) if told.advisor_verdict else None
        ),
        attack_class=_reading(told.advisor_age_s, str(told.advisor_class) or None),
        session=_reading(told.session_age_s, _session(told)),
        phase=_reading(told.phase_age_s, Phase(told.phase) if told.phase else None),
        computer=_reading(told.computer_age_s, _computer(told)),
        held=Held(str(told.held_suite), told.held_until_s) if told.held_suite else None,
        warned=_reading(told.warned_age_s, True),
    )


def _reading(age_s: float, value: T | None) -> Reading[T]:
    return Reading() if age_s < 0.0 or value is None else Reading(value, age_s)


def _link(told: Any) -> Link:
    blackouts = int(told.link_blackouts) if told.link_blackouts >= 0 else None
    source = str(told.link_rate_source)
    return numbers_of(Link, told, "link_", blackouts=blackouts, rate_source=source)


def _computer(told: Any) -> Computer:
    throttled = int(told.computer_throttled)
    known_throttled = None if throttled < 0 else bool(throttled)
    return numbers_of(Computer, told, "computer_", throttled=known_throttled)


def _session(told: Any) -> Session:
    failed = str(told.session_failed_suite)
    failure = Failure(
        int(told.session_failures),
        failed,
        str(told.session_failed_reason),
        bool(told.session_failed_authenticated),
    )
    return Session(
        suite=str(told.session_suite),
        epoch=int(told.session_epoch),
        key_age_s=known(told.session_key_age_s),
        ratchets=int(told.session_ratchets),
        rekeying=bool(told.session_rekeying),
        blacklisted=frozenset(map(str, told.session_barred)),
        failure=failure if failed else None,
        layers=tuple(map(read_layer, told.session_layers)),
        anchor=str(told.session_anchor),
        fetches=tuple(map(read_fetch, told.session_fetches)),
    )
