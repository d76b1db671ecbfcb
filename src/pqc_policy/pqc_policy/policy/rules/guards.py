# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The guards: rules that come before every wish of a strategy, and `safety` after them."""

from __future__ import annotations

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.inputs import INPUTS, Freshness
from pqc_policy.policy.rules.needs import needs
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import Suite, find_suite
from pqc_policy.policy.wording import apart, counted

SAFETY = "safety"  # the rule that decides while an input or the session is missing
_EMERGENCY_TRIES = 3


@needs()
def session(s: Situation) -> Proposal | None:
    """Hold while there is no session, which every other rule needs."""
    if s.current is not None:
        return None
    return _unusable(s, "session") or _no_suite(s)


@needs()
def safety(s: Situation) -> Proposal | None:
    """Hold while a required input is missing, stale or empty, or the suite in use is unknown."""
    if s.missing:
        sentences = " ".join(_why_unknown(s, name) for name in s.missing)
        return Proposal(Action.HOLD, SAFETY, sentences)
    return None if s.current is not None else _no_suite(s)


def _why_unknown(s: Situation, name: str) -> str:
    unusable = _unusable(s, name)
    if unusable is not None:
        return unusable.reason
    empty = INPUTS[name].empty
    return f"The newest {empty}." if empty else _no_suite(s).reason


def _unusable(s: Situation, name: str) -> Proposal | None:
    reading = getattr(s.inputs, name)
    freshness = reading.freshness(s.config.stale_s)
    noun = INPUTS[name].noun
    if freshness is Freshness.MISSING:
        return Proposal(Action.HOLD, SAFETY, f"No {noun} has been received.")
    if freshness is Freshness.STALE:
        age, limit = apart(reading.age_s, s.config.stale_s, 1)
        reason = f"The newest {noun} is {age} s old, more than {limit} s."
        return Proposal(Action.HOLD, SAFETY, reason)
    return None


def _no_suite(s: Situation) -> Proposal:
    suite = s.session.suite if s.session is not None else ""
    reason = f"The suite in use, {suite}, is unknown." if suite else "There is no session."
    return Proposal(Action.HOLD, SAFETY, reason)


@needs("session", one_of=("battery", "thermal"))
def emergency(s: Situation) -> Proposal | None:
    """Go to the lightest suite at once when the battery is nearly empty or the computer too hot."""
    empty = s.low_voltage and s.state.low_voltage_s > s.config.emergency_voltage_s
    hot = s.too_hot and s.state.hot_s > s.config.emergency_temperature_s
    if not (empty or hot) or s.current is None:
        return None
    if empty and s.voltage_v is not None:
        volts, limit = apart(s.voltage_v, s.pack.emergency_v, 2)
        why = f"The battery is at {volts} V, below {limit} V"
    else:
        degrees, limit = apart(s.temperature_c or 0.0, s.config.emergency_temperature_c, 1)
        why = f"The computer is at {degrees} °C, above {limit} °C"
    lightest = s.order.lightest(s.barred)
    failed = s.state.failed
    if failed is not None and failed.in_a_row >= _EMERGENCY_TRIES:
        # A suite that the other end keeps refusing must not hold the drone up.
        lightest = s.order.lightest(s.barred | {failed.suite}) or lightest
    if lightest is None or not s.order.lighter(lightest, s.current):
        return Proposal(Action.HOLD, "emergency", f"{why}; no lighter suite is left.")
    return Proposal(
        Action.DOWN_TO_LIGHTEST,
        "emergency",
        f"{why}: to the lightest suite at once, exempt from the limit of rekeys.",
        target=lightest.id,
    )


@needs("session", "link")
def blackout(s: Situation) -> Proposal | None:
    """Undo a switch that was followed by blackouts, and blacklist its suite."""
    since_s = s.lasted_s(s.state.switched_at_s)
    seen, before = s.state.blackouts_seen, s.state.blackouts_at_switch
    if since_s is None or since_s > s.config.blackout_window_s or s.current is None:
        return None
    if seen is None or before is None or seen - before <= s.config.blackout_count:
        return None
    blackouts = counted(seen - before, "blackout")
    why = f"{blackouts} within {s.config.blackout_window_s:g} s of the switch"
    barred = s.barred | {s.current.id}
    if s.order.lightest(barred) is None:
        return Proposal(
            Action.HOLD, "blackout", f"{why}, but {s.current.id} is the last suite allowed."
        )
    target = _rollback_target(s, s.current, barred)
    if target is None:
        return Proposal(
            Action.HOLD,
            "blackout",
            f"{why}; under stress only lighter suites may be chosen, none is left.",
        )
    if target.id != s.state.previous_suite and (used_up := spent(s)):
        return Proposal(Action.HOLD, "blackout", f"{why}; {used_up}")
    return Proposal(
        Action.ROLLBACK,
        "blackout",
        f"{why}: {s.current.id} is blacklisted for {s.config.blackout_blacklist_s:g} s.",
        target=target.id,
        blacklist=s.current.id,
    )


def _rollback_target(s: Situation, current: Suite, barred: frozenset[str]) -> Suite | None:
    """Return the previous suite; only if that is lighter while anything presses."""
    previous = find_suite(s.state.previous_suite or "")
    lighter_only = s.pressed
    if (
        previous is not None
        and s.order.may_choose(previous, barred)
        and not (lighter_only and s.order.lighter(current, previous))
    ):
        return previous
    return s.order.down(current, barred)


@needs("session")
def cooldown(s: Situation) -> Proposal | None:
    """Hold for a while after a switch."""
    since_s = s.lasted_s(s.state.switched_at_s)
    if since_s is None or since_s >= s.config.cooldown_s:
        return None
    since, limit = apart(since_s, s.config.cooldown_s, 1)
    return Proposal(
        Action.HOLD, "cooldown", f"The latest switch was {since} s ago, less than {limit} s."
    )


def spent(s: Situation) -> str:
    """Return that this episode has had all its steps down, as a clause; empty if it has not."""
    limit = s.config.step_down_limit
    if s.state.steps_down < limit:
        return ""
    return f"{counted(limit, 'step')} down are the limit of one episode."
