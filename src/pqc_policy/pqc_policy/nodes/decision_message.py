# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Turns a decision and its inputs into a message."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from builtin_interfaces.msg import Time

from pqc_msgs.msg import KemFetch, Layer, PolicyDecision, PolicyInputs
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.inputs import (
    INPUTS,
    Battery,
    Computer,
    DecisionInput,
    Link,
    Session,
    Thermal,
    or_nan,
)
from pqc_policy.policy.protection import Fetch
from pqc_policy.policy.telemetry import NANOSECONDS

_NEVER = -1.0
# The inputs with several values, whose fields in the message begin with the name of the input.
_UNKNOWN: dict[str, Any] = {
    "link": Link(None),
    "battery": Battery(None),
    "thermal": Thermal(None),
    "computer": Computer(None),
    "session": Session(""),
}
# The message has these fields of a session in another form.
_APART = ("blacklisted", "failure", "layers", "anchor", "fetches")


def decision_message(decision: Decision, at_ns: int) -> PolicyDecision:
    """Return the message of a decision for the whole second `at_ns`."""
    return PolicyDecision(
        stamp=Time(sec=at_ns // NANOSECONDS, nanosec=at_ns % NANOSECONDS),
        strategy=decision.strategy,
        action=decision.action.value,
        rule=decision.rule,
        event=decision.event,
        hold=decision.hold_reason.kind if decision.hold_reason is not None else "",
        from_suite=decision.from_suite or "",
        to_suite=decision.to_suite or "",
        asked=decision.asked,
        ratchet=decision.ratchet,
        reason=decision.reason,
        blacklisted=list(decision.blacklisted),
        removed_by=[removal.rule for removal in decision.removed],
        removed=[removal.count for removal in decision.removed],
        missing=list(decision.missing),
        inactive=list(decision.inactive),
        cue=decision.cue,
        cue_id=decision.cue_id,
        inputs=inputs_message(decision.inputs),
    )


def inputs_message(inputs: DecisionInput) -> PolicyInputs:
    message = PolicyInputs(
        power_w=or_nan(inputs.power_w.value),
        armed=bool(inputs.armed.value),
        advisor_verdict=str(inputs.advisor.value or ""),
        advisor_class=inputs.attack_class.value or "",
        phase=str(inputs.phase.value or ""),
        held_suite=inputs.held.suite if inputs.held is not None else "",
        held_until_s=inputs.held.until_s if inputs.held is not None else 0.0,
    )
    for name in INPUTS:
        reading = getattr(inputs, name)
        age_s = _NEVER if reading.value is None else reading.age_s
        setattr(message, f"{name.removesuffix('_w')}_age_s", age_s)
    for name, unknown in _UNKNOWN.items():
        _fill(message, name, getattr(inputs, name).value or unknown)
    session = inputs.session.value or _UNKNOWN["session"]
    message.session_barred = sorted(session.blacklisted)
    message.session_layers = [Layer(**asdict(layer)) for layer in session.layers]
    message.session_anchor = session.anchor
    message.session_fetches = [_fetch(fetch) for fetch in session.fetches]
    if session.failure is not None:
        message.session_failures = session.failure.count
        message.session_failed_suite = session.failure.suite
        message.session_failed_reason = session.failure.reason
        message.session_failed_authenticated = session.failure.authenticated
    return message


def _fetch(fetch: Fetch) -> KemFetch:
    times = ("fetch_s", "rekey_s", "progress")
    return KemFetch(**asdict(fetch) | {name: _or_never(getattr(fetch, name)) for name in times})


def _or_never(value: float | None) -> float:
    return _NEVER if value is None else value


def _fill(message: PolicyInputs, prefix: str, content: Any) -> None:
    """Set the fields of one input; an unknown number is NaN, or -1 where it is a whole one."""
    for item in fields(content):
        if item.name in _APART:
            continue
        name, value = f"{prefix}_{item.name}", getattr(content, item.name)
        kind = type(getattr(message, name))
        if kind is float:
            value = or_nan(value)
        elif kind is int:
            value = -1 if value is None else int(value)
        setattr(message, name, value)
