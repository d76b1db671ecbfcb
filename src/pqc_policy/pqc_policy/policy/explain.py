# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Explains a decision in words: its rule, its reason and its inputs, a line each."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.inputs import Battery, Freshness, Link, Reading, Session, Thermal

_INPUTS = ("link", "battery", "thermal", "power_w", "armed", "advisor", "session")


def explain(decision: Decision, config: PolicyConfig) -> str:
    """Return the decision, its rule and its inputs as lines of text."""
    moment = datetime.fromtimestamp(decision.t, UTC).strftime("%Y-%m-%d %H:%M:%S")
    lines = [f"{moment} UTC, strategy {decision.strategy}: {decision.action} by {decision.rule}."]
    if decision.to_suite is not None:
        lines.append(f"From {decision.from_suite} to {decision.to_suite}.")
    lines.append(decision.reason)
    lines += [f"{suite} is blacklisted." for suite in decision.blacklisted]
    for removal in decision.removed:
        suites = "one suite" if removal.count == 1 else f"{removal.count or 'no'} suites"
        lines.append(f"Rule {removal.rule} excluded {suites}.")
    for name in _INPUTS:
        reading: Reading[Any] = getattr(decision.inputs, name)
        lines.append(f"{_LABELS[name]}: {_described(name, reading, config)}")
    return "\n".join(lines)


def freshness_of(decision: Decision, config: PolicyConfig) -> list[tuple[str, str]]:
    """Return the name of each input, and its age or that it was never received."""
    return [(_LABELS[name], _freshness(getattr(decision.inputs, name), config)) for name in _INPUTS]


def _freshness(reading: Reading[Any], config: PolicyConfig) -> str:
    freshness = reading.freshness(config.stale_s)
    if freshness is Freshness.MISSING:
        return "never received"
    stale = ", too old" if freshness is Freshness.STALE else ""
    return f"{reading.age_s:.1f} s old{stale}"


def _described(name: str, reading: Reading[Any], config: PolicyConfig) -> str:
    if reading.value is None:
        return "never received."
    return f"{_DESCRIPTIONS[name](reading.value)}; {_freshness(reading, config)}."


def _number(value: float | None, pattern: str) -> str | None:
    return None if value is None else pattern.format(value)


def _listed(*parts: str | None) -> str:
    return ", ".join(part for part in parts if part is not None) or "nothing measured"


def _link(link: Link) -> str:
    return _listed(
        _number(link.gap_p95_s, "{:.3f} s between datagrams (p95)"),
        _number(link.loss, "{:.1%} lost"),
        _number(link.rtt_s, "{:.3f} s round trip"),
        _number(link.blackouts, "{} blackouts so far"),
    )


def _battery(battery: Battery) -> str:
    minutes = None if battery.endurance_s is None else battery.endurance_s / 60
    return _listed(
        _number(battery.voltage_v, "{:.2f} V"),
        _number(battery.rate_mv_per_min, "{:+.0f} mV/min"),
        _number(battery.charge, "{:.0%} charged"),
        _number(minutes, "{:.1f} min left"),
    )


def _thermal(thermal: Thermal) -> str:
    return _listed(
        _number(thermal.temperature_c, "{:.1f} °C"),
        _number(thermal.rate_c_per_min, "{:+.1f} °C/min"),
    )


def _session(session: Session) -> str:
    if not session.suite:
        return "none"
    failure = session.failure
    return _listed(
        session.suite,
        f"epoch {session.epoch}",
        _number(session.key_age_s, "keys {:.0f} s old"),
        "a rekey under way" if session.rekeying else None,
        f"{len(session.blacklisted)} suites excluded by tunnel" if session.blacklisted else None,
        f"newest failure: {failure.suite} ({failure.reason})" if failure is not None else None,
    )


_LABELS = {
    "link": "Link",
    "battery": "Battery",
    "thermal": "Temperature",
    "power_w": "Power",
    "armed": "Armed",
    "advisor": "Advisor",
    "session": "Session",
}
_DESCRIPTIONS: dict[str, Callable[[Any], str]] = {
    "link": _link,
    "battery": _battery,
    "thermal": _thermal,
    "power_w": "{:.1f} W".format,
    "armed": lambda armed: "yes" if armed else "no",
    "advisor": str,
    "session": _session,
}
