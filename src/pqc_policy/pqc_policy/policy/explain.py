# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Explains a decision in short lines."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from pqc_policy.policy.blacklist import barred_suites
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.decision import LIMIT, Action, Decision
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.inputs import (
    Battery,
    Computer,
    Freshness,
    Link,
    Reading,
    Session,
    Thermal,
    known,
)
from pqc_policy.policy.needs import needs_of
from pqc_policy.policy.outlook import outlook
from pqc_policy.policy.phases import rules_of
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.state import PolicyState
from pqc_policy.policy.wording import INPUT_NAMES, apart, counted

_LABELS = {
    "link": "Link",
    "battery": "Battery",
    "thermal": "Temperature",
    "power_w": "Power",
    "armed": "Armed",
    "advisor": "Advisor",
    "session": "Session",
    "phase": "Phase",
    "computer": "Computer",
    "warned": "Warning of the fleet",
}
# Inputs that an explanation leaves out where they were never received.
_OPTIONAL = ("phase", "computer", "warned")


def explain(
    decision: Decision, policy: Policy, state: PolicyState, advice: str = "", set_s: float = 0.0
) -> str:
    """Return the decision, its rule, its inputs beside their thresholds, and what comes next.

    The state is the one that the decision left; the advice follows the first sentence. `set_s` is
    by how much the clock was set since the flight began.
    """
    session = decision.inputs.session.value
    barred: frozenset[str] = session.blacklisted if session is not None else frozenset()
    s = Situation(
        policy.config,
        policy.profile,
        policy.order,
        decision.inputs,
        state,
        barred_suites(state, policy.order, barred),
    )
    return "\n".join(
        [
            f"{_summary(decision)}: {_lower(decision.reason)}",
            *([advice] if advice else []),
            *_held(decision, set_s),
            *_preference(decision),
            _origin(decision, set_s),
            *_exclusions(decision),
            *_missing(decision, policy),
            *_inputs(decision, policy.config, policy.strategy.excludes),
            *_limits(s),
            *([decision.cue] if decision.cue else []),
            f"Next: {outlook(s, decision, policy.strategy)}.",
        ]
    )


def freshness_of(decision: Decision, config: PolicyConfig) -> list[tuple[str, str]]:
    """Return the label of each input, and its age or that it was never received."""
    return [
        (label, _age(getattr(decision.inputs, name), config)) for name, label in _LABELS.items()
    ]


def _summary(decision: Decision) -> str:
    suite, target = decision.from_suite, decision.to_suite
    if target is None:
        return f"The policy keeps {suite}" if suite else "The policy holds"
    if decision.action is Action.REKEY:
        return f"The policy requests fresh keys for {suite}"
    return f"The policy requests a change from {suite} to {target}"


def _lower(sentence: str) -> str:
    """Return a sentence as the part after a colon; names and units keep their case."""
    first = sentence.split(maxsplit=1)[0]
    return sentence[0].lower() + sentence[1:] if first[1:].islower() or first == "A" else sentence


def _held(decision: Decision, set_s: float) -> Iterator[str]:
    held = decision.hold_reason
    # The text of a limit has the time already.
    if held is not None and held.kind != LIMIT and held.until_s is not None:
        wait_s = held.until_s - decision.t
        yield f"This lasts until {_clock(held.until_s + set_s)} UTC at the latest ({wait_s:.0f} s)."


def _preference(decision: Decision) -> Iterator[str]:
    """Yield the agent's values, what spoke most for its choice, and what counts in the phase."""
    preference = decision.preference
    if preference is None:
        return
    values = (
        f"{choice} {value:.3f}{'' if choice in preference.able else ' (not open)'}"
        for choice, value in preference.values
    )
    yield f"The agent's values: {', '.join(values) or 'none'}."
    because = [f"{what} ({by:+.3f})" for what, by in preference.because if by > 0.0]
    if because:
        yield (
            f"For {preference.chosen} rather than {preference.against} spoke most: "
            f"{', '.join(because)}."
        )
    phase = decision.inputs.phase.value
    weights = rules_of(phase)
    yield (
        f"In {f'the phase {phase}' if phase is not None else 'an unknown phase'} security counts "
        f"{weights.security:g}, latency {weights.latency:g}, power {weights.power:g}."
    )


def _origin(decision: Decision, set_s: float) -> str:
    moment = datetime.fromtimestamp(decision.t + set_s, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return (
        f"Decision: {decision.action} by rule {decision.rule} of strategy {decision.strategy}, "
        f"{moment} UTC."
    )


def _clock(time_s: float) -> str:
    return datetime.fromtimestamp(time_s, UTC).strftime("%H:%M:%S")


def _exclusions(decision: Decision) -> Iterator[str]:
    for removal in decision.removed:
        suites = counted(removal.count, "suite") if removal.count else "no suite"
        yield f"Rule {removal.rule} excludes {suites}."


def _missing(decision: Decision, policy: Policy) -> Iterator[str]:
    lacking = [
        f"{INPUT_NAMES[name]} ({_age(getattr(decision.inputs, name), policy.config)})"
        for name in decision.missing
    ]
    if lacking:
        yield f"Required but missing: {', '.join(lacking)}."
    inactive = [
        f"{rule.__name__} ({needs_of(rule)})"
        for rule in policy.strategy.rules
        if rule.__name__ in decision.inactive
    ]
    if inactive:
        yield f"Rules that can't act without their inputs: {', '.join(inactive)}."


def _inputs(decision: Decision, config: PolicyConfig, expert: bool) -> Iterator[str]:
    for name, label in _LABELS.items():
        reading: Reading[Any] = getattr(decision.inputs, name)
        age = _age(reading, config)
        if reading.value is None:
            if name not in _OPTIONAL:
                yield f"{label}: {age}."
        else:
            described = _described(name, reading.value, config, expert)
            named = decision.inputs.attack_class.value if name == "advisor" else None
            yield f"{label} ({age}): {described}{f', {named}' if named else ''}."


def _age(reading: Reading[Any], config: PolicyConfig) -> str:
    freshness = reading.freshness(config.stale_s)
    if freshness is Freshness.MISSING:
        return "never received"
    if freshness is Freshness.STALE:
        age, limit = apart(reading.age_s, config.stale_s, 1)
        return f"{age} s old, more than {limit} s"
    return f"{reading.age_s:.1f} s old"


def _described(name: str, value: Any, config: PolicyConfig, expert: bool) -> str:
    if name == "link":
        return _link(value, config, expert)
    if name == "battery":
        return _battery(value, config, expert)
    if name == "thermal":
        return _thermal(value, config, expert)
    if name == "session":
        return _session(value)
    if name == "computer":
        return _computer(value, config)
    if name in ("armed", "warned"):
        return "yes" if value else "no"
    return f"{value:.1f} W" if name == "power_w" else str(value)


def _listed(*parts: str | None) -> str:
    return ", ".join(part for part in parts if part is not None) or "no values"


def _number(value: float | None, pattern: str, limit: str = "") -> str | None:
    if known(value) is None:
        return None
    return pattern.format(value) + (f" ({limit})" if limit else "")


def _link(link: Link, config: PolicyConfig, expert: bool) -> str:
    loss_limit = config.expert.loss_high if expert else config.link_loss
    rtt_limit_s = config.expert.rtt_high_s if expert else config.link_rtt_s
    loss = f"bad above {loss_limit:.1%}" if loss_limit < 1.0 else ""
    rtt = f"bad above {rtt_limit_s:g} s"
    return _listed(
        _number(
            link.gap_p95_s, "gap between datagrams {:.3f} s", f"bad above {config.link_gap_s:g} s"
        ),
        _number(link.loss, "{:.1%} lost", loss),
        _number(link.rtt_s, "round trip {:.3f} s", rtt),
        _rate(link),
        None if link.blackouts is None else f"{counted(link.blackouts, 'blackout')} so far",
    )


def _rate(link: Link) -> str | None:
    """Return what the slowest link that carries data can carry."""
    rate_bytes_s = known(link.rate_bytes_s)
    if rate_bytes_s is None:
        return None
    kbit_s = 8e-3 * rate_bytes_s
    number, unit = (kbit_s, "kbit/s") if kbit_s < 1000.0 else (1e-3 * kbit_s, "Mbit/s")
    source = _measured(link)
    return f"a link of {number:.4g} {unit}" + (f" ({source})" if source else "")


def _measured(link: Link) -> str:
    return {"saturation": "measured while it was full", "streams": "measured"}.get(
        link.rate_source, link.rate_source
    )


def _battery(battery: Battery, config: PolicyConfig, expert: bool) -> str:
    minutes = None if battery.endurance_s is None else battery.endurance_s / 60
    emergency = f"emergency below {config.pack(battery.cells).emergency_v:g} V"
    charge = f"low below {config.expert.charge_low:.0%}" if expert else ""
    return _listed(
        _number(battery.voltage_v, "{:.2f} V", emergency),
        _number(
            battery.rate_mv_per_min,
            "{:+.0f} mV/min",
            f"stress below {config.pack(battery.cells).stress_mv_per_min:g} mV/min",
        ),
        _number(battery.charge, "{:.0%} charged", charge),
        _number(minutes, "{:.1f} min left"),
    )


def _thermal(thermal: Thermal, config: PolicyConfig, expert: bool) -> str:
    limit = f"emergency above {config.emergency_temperature_c:g} °C"
    if expert:
        limit = f"warm above {config.expert.warm_c:g}, hot above {config.expert.hot_c:g}, {limit}"
    return _listed(
        _number(thermal.temperature_c, "{:.1f} °C", limit),
        _number(
            thermal.rate_c_per_min,
            "{:+.1f} °C/min",
            f"stress above {config.stress_c_per_min:g} °C/min",
        ),
    )


def _computer(computer: Computer, config: PolicyConfig) -> str:
    load = None if computer.load is None else 100.0 * computer.load
    memory = None if computer.memory is None else 100.0 * computer.memory
    return _listed(
        _number(load, "load {:.0f} %", f"stress above {100.0 * config.stress_load:g} %"),
        _number(memory, "{:.0f} % of the memory in use"),
        "throttled" if computer.throttled else None,
    )


def _session(session: Session) -> str:
    if not session.suite:
        return "none"
    failure = session.failure
    barred = len(session.blacklisted)
    return _listed(
        session.suite,
        f"epoch {session.epoch}",
        _number(session.key_age_s, "keys {:.0f} s old"),
        "a rekey is under way" if session.rekeying else None,
        f"the tunnel excludes {counted(barred, 'suite')}" if barred else None,
        f"the newest failed rekey was to {failure.suite} ({failure.reason})" if failure else None,
    )


def _limits(s: Situation) -> Iterator[str]:
    config, state = s.config, s.state
    yield (
        f"Rekeys requested in the last {config.rekey_window_s:g} s: "
        f"{len(state.rekeys_s)} of at most {config.rekey_limit}."
    )
    if state.blacklist:
        entries = (f"{suite} for {until_s - s.now_s:.0f} s" for suite, until_s in state.blacklist)
        yield f"Blacklisted by the policy: {', '.join(entries)}."
