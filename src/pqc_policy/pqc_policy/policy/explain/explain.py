# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Explains a decision in short lines."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any

from pqc_policy.policy.blacklist import barred_suites
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.decision import LIMIT, Action, Decision
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.explain.input_words import age, described
from pqc_policy.policy.guards.under_way import awaits as awaits_rekey
from pqc_policy.policy.inputs import INPUTS, Reading
from pqc_policy.policy.protection import in_words
from pqc_policy.policy.rule import Rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.state import PolicyState
from pqc_policy.policy.wording import counted


def explain(
    decision: Decision, policy: Policy, state: PolicyState, advice: str = "", set_s: float = 0.0
) -> str:
    """Return the decision, what protects the data, the inputs, the rules, and what comes next.

    The state is the one that the decision left; the advice follows the first sentence. `set_s` is
    by how much the clock was set since the flight began.
    """
    session = decision.inputs.session.value
    barred: frozenset[str] = session.blacklisted if session is not None else frozenset()
    s = Situation(
        policy.config,
        policy.profile,
        policy.order,
        policy.strategy.sees(decision.inputs),
        state,
        barred_suites(state, policy.order, barred),
    )
    return "\n".join(
        [
            f"{_summary(decision)}: {_lower(decision.reason)}",
            *([advice] if advice else []),
            *_held(decision, set_s),
            *(decision.preference.sentences() if decision.preference is not None else ()),
            _origin(decision, set_s),
            *_protection(s),
            *_exclusions(decision),
            *_missing(decision, policy),
            *_inputs(decision, policy.config),
            *_rules(decision, policy),
            *_limits(s),
            *([decision.cue] if decision.cue else []),
            f"Next: {_next(s, policy)}.",
        ]
    )


def freshness_of(decision: Decision, config: PolicyConfig) -> list[tuple[str, str]]:
    """Return the label of each input, and its age or that it was never received."""
    return [
        (kind.label, age(getattr(decision.inputs, name), config)) for name, kind in INPUTS.items()
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


def _origin(decision: Decision, set_s: float) -> str:
    moment = datetime.fromtimestamp(decision.t + set_s, UTC).strftime("%Y-%m-%d %H:%M:%S")
    return (
        f"Decision: {decision.action} by rule {decision.rule} of strategy {decision.strategy}, "
        f"{moment} UTC."
    )


def _rules(decision: Decision, policy: Policy) -> Iterator[str]:
    """Yield what the rule that decided does, and every rule with its values."""
    strategy = policy.strategy
    for rule in strategy.rules:
        if rule.name == decision.rule:
            yield f"Rule {rule.name}: {_lower(rule.sentence)}"
    for what, rules in (
        ("Guards", (*strategy.before, *strategy.after)),
        ("Wishes", strategy.wishes),
    ):
        yield f"{what}: {', '.join(_with_values(rule, policy.config) for rule in rules)}."


def _with_values(rule: Rule, config: PolicyConfig) -> str:
    values = ", ".join(f"{name} {_value(config, name)}" for name in rule.numbers)
    return f"{rule.name} ({values})" if values else rule.name


def _value(config: PolicyConfig, name: str) -> str:
    value = attrgetter(name)(config)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _protection(s: Situation) -> Iterator[str]:
    keys_s = s.age_s(s.state.keys_since_s)
    if s.current is None or s.session is None:
        yield "No data is carried: there is no session."
        return
    keys = "" if keys_s is None else f", keys {keys_s:.0f} s old"
    ratchets = s.state.ratchets_in_a_row
    by = f", renewed by {counted(ratchets, 'ratchet')} since the last full exchange"
    yield f"The data is protected by {s.current.protection}{keys}{by if ratchets else ''}."
    if chain := in_words(s.session.layers):
        yield chain


def _next(s: Situation, policy: Policy) -> str:
    """Return what the next decisions wait for, as parts joined by semicolons."""
    parts = [*awaits_rekey(s)]
    strategy = policy.strategy
    for rule in dict.fromkeys((*strategy.after, *strategy.before, *strategy.wishes)):
        parts += rule.awaits(s)
    return "; ".join(parts) or "the policy keeps this suite until an input crosses its threshold"


def _clock(time_s: float) -> str:
    return datetime.fromtimestamp(time_s, UTC).strftime("%H:%M:%S")


def _exclusions(decision: Decision) -> Iterator[str]:
    for removal in decision.removed:
        suites = counted(removal.count, "suite") if removal.count else "no suite"
        yield f"Rule {removal.rule} excludes {suites}."


def _missing(decision: Decision, policy: Policy) -> Iterator[str]:
    lacking = [
        f"{INPUTS[name].noun} ({age(getattr(decision.inputs, name), policy.config)})"
        for name in decision.missing
    ]
    if lacking:
        yield f"Required but missing: {', '.join(lacking)}."
    inactive = [
        f"{rule.name} ({rule.needs})"
        for rule in policy.strategy.rules
        if rule.name in decision.inactive
    ]
    if inactive:
        yield f"Rules that can't act without their inputs: {', '.join(inactive)}."


def _inputs(decision: Decision, config: PolicyConfig) -> Iterator[str]:
    for name, kind in INPUTS.items():
        reading: Reading[Any] = getattr(decision.inputs, name)
        old = age(reading, config)
        if reading.value is None:
            if not kind.optional:
                yield f"{kind.label}: {old}."
        else:
            words = described(name, reading.value)
            named = decision.inputs.attack_class.value if name == "advisor" else None
            yield f"{kind.label} ({old}): {words}{f', {named}' if named else ''}."


def _limits(s: Situation) -> Iterator[str]:
    config, state = s.config, s.state
    yield (
        f"Rekeys requested in the last {config.rekey_window_s:g} s: "
        f"{len(state.rekeys_s)} of at most {config.rekey_limit}."
    )
    if state.blacklist:
        entries = (f"{suite} for {until_s - s.now_s:.0f} s" for suite, until_s in state.blacklist)
        yield f"Blacklisted by the policy: {', '.join(entries)}."
