# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The rules of the strategies: each returns a proposal for a situation, or None."""

from __future__ import annotations

from collections.abc import Callable

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.inputs import Freshness
from pqc_policy.policy.needs import needs
from pqc_policy.policy.renewals import saved
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import Suite, find_suite
from pqc_policy.policy.wording import INPUT_NAMES, apart, counted

Rule = Callable[[Situation], Proposal | None]
_EMERGENCY_TRIES = 3
_EMPTY = {
    "link": "report of the link has no gap between datagrams",
    "battery": "message of the battery has no voltage",
    "thermal": "message of the temperature has no value",
}


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
        return Proposal(Action.HOLD, "safety", sentences)
    return None if s.current is not None else _no_suite(s)


def _why_unknown(s: Situation, name: str) -> str:
    unusable = _unusable(s, name)
    if unusable is not None:
        return unusable.reason
    return f"The newest {_EMPTY[name]}." if name in _EMPTY else _no_suite(s).reason


def _unusable(s: Situation, name: str) -> Proposal | None:
    reading = getattr(s.inputs, name)
    freshness = reading.freshness(s.config.stale_s)
    noun = INPUT_NAMES[name]
    if freshness is Freshness.MISSING:
        return Proposal(Action.HOLD, "safety", f"No {noun} has been received.")
    if freshness is Freshness.STALE:
        age, limit = apart(reading.age_s, s.config.stale_s, 1)
        reason = f"The newest {noun} is {age} s old, more than {limit} s."
        return Proposal(Action.HOLD, "safety", reason)
    return None


def _no_suite(s: Situation) -> Proposal:
    suite = s.session.suite if s.session is not None else ""
    reason = f"The suite in use, {suite}, is unknown." if suite else "There is no session."
    return Proposal(Action.HOLD, "safety", reason)


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
    barred = s.barred_in_emergency
    lightest = s.order.lightest(barred)
    failed = s.state.failed
    if failed is not None and failed.in_a_row >= _EMERGENCY_TRIES:
        # A suite that the other end keeps refusing must not hold the drone up.
        lightest = s.order.lightest(barred | {failed.suite}) or lightest
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
    if target.id != s.state.previous_suite and (spent := _spent(s)):
        return Proposal(Action.HOLD, "blackout", f"{why}; {spent}")
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


@needs("session", "link")
def link(s: Situation) -> Proposal | None:
    """Go one step down when the link has been bad for a while."""
    lasted_s = s.lasted_s(s.state.link_bad_since_s)
    if lasted_s is None or lasted_s < s.config.persistence_s:
        return None
    config = s.config
    if s.gap_s is not None and s.gap_s > config.link_gap_s:
        gap, limit = apart(s.gap_s, config.link_gap_s, 2)
        what = f"The gap between datagrams (95th percentile) is {gap} s, and has been more than"
        return _step_down(s, "link", f"{what} {limit} s for {lasted_s:.0f} s")
    if s.loss is not None and s.loss > config.link_loss:
        loss, limit = apart(100.0 * s.loss, 100.0 * config.link_loss, 0)
        why = f"The link loses {loss} % of the datagrams, more than {limit} %"
    else:
        rtt, limit = apart(s.rtt_s or 0.0, config.link_rtt_s, 2)
        why = f"The round trip takes {rtt} s, more than {limit} s"
    return _step_down(s, "link", f"{why}; the link has been bad for {lasted_s:.0f} s")


@needs("session", "advisor")
def attack(s: Situation) -> Proposal | None:
    """Go one step down when the advisor has seen an attack for a while, if that helps."""
    lasted_s = s.lasted_s(s.state.attack_since_s)
    if lasted_s is None or lasted_s < s.config.persistence_s:
        return None
    why = f"The advisor has seen an attack{s.attack_text} for {lasted_s:.0f} s"
    target = s.order.down(s.current, s.barred) if s.current is not None else None
    if target is not None and s.current is not None and target.kem == s.current.kem:
        # What a rekey costs on the air stays nearly the same.
        return Proposal(Action.HOLD, "attack", f"{why}; no suite with a lighter KEM is left.")
    return _step_down(s, "attack", why)


@needs("session", one_of=("battery", "thermal", "computer", "power_w"))
def stress(s: Situation) -> Proposal | None:
    """Go one step down when temperature or voltage change too fast, or the computer is busy."""
    lasted_s = s.lasted_s(s.state.stress_since_s)
    if lasted_s is None or lasted_s < s.config.persistence_s:
        return None
    heating = s.thermal.rate_c_per_min if s.thermal is not None else None
    if heating is not None and heating > s.config.stress_c_per_min:
        rate, limit = apart(heating, s.config.stress_c_per_min, 1)
        why = f"The temperature rises by {rate} °C/min, more than {limit} °C/min"
    elif s.overloaded is not None:
        why = s.overloaded
    else:
        sagging = (s.battery.rate_mv_per_min if s.battery is not None else None) or 0.0
        rate, limit = apart(-sagging, -s.pack.stress_mv_per_min, 0)
        why = f"The voltage falls by {rate} mV/min, more than {limit} mV/min"
    return _step_down(s, "stress", f"{why}; there has been stress for {lasted_s:.0f} s")


def _step_down(s: Situation, rule: str, why: str) -> Proposal | None:
    if s.current is None:
        return None
    target = s.order.down(s.current, s.barred)
    if target is None:
        return Proposal(Action.HOLD, rule, f"{why}; no lighter suite is left.")
    if spent := _spent(s):
        return Proposal(Action.HOLD, rule, f"{why}; {spent}")
    return Proposal(
        Action.DOWN, rule, f"{why}: one step down{saved(s, s.current, target)}.", target=target.id
    )


def _spent(s: Situation) -> str:
    """Return that this episode has had all its steps down, as a clause; empty if it has not."""
    limit = s.config.step_down_limit
    if s.state.steps_down < limit:
        return ""
    return f"{counted(limit, 'step')} down are the limit of one episode."


@needs("session", "armed", required=True)
def upgrade(s: Situation) -> Proposal | None:
    """Go one step up, at most to the ceiling, when it has been calm on the ground for a while."""
    calm_s = s.since_switch_s(s.state.calm_since_s)
    if s.current is None or not s.disarmed or calm_s is None:
        return None
    ceiling = find_suite(s.config.ceiling)
    if calm_s < s.config.upgrade_stable_s or ceiling is None:
        return None
    target = s.order.up(s.current, ceiling, s.barred)
    if target is None:
        return None
    return Proposal(
        Action.UPGRADE,
        "upgrade",
        f"Disarmed and calm for {calm_s:.0f} s: one step up.",
        target=target.id,
    )


@needs("session")
def endure(s: Situation) -> Proposal | None:
    """Hold while an attack lasts against which no other suite helps."""
    if s.response is None or s.response.lighter:
        return None
    return Proposal(
        Action.HOLD,
        "endure",
        f"Under attack{s.attack_text}: the suite stays, for {s.response.why}.",
    )


@needs()
def nominal(s: Situation) -> Proposal | None:
    """Hold."""
    return Proposal(Action.HOLD, "nominal", "No rule proposes a change.")
