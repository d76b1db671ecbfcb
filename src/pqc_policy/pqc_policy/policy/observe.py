# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Updates the state with the newest inputs, before a rule looks at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pqc_policy.policy import airtime, expert_levels
from pqc_policy.policy.blacklist import barred_suites, blacklist, pruned
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.inputs import DecisionInput, Session
from pqc_policy.policy.profile import Profile
from pqc_policy.policy.rule import Condition
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.state import FailedRekey, Pending, PolicyState
from pqc_policy.policy.suite_order import SuiteOrder
from pqc_policy.policy.suites import find_suite

_NOTHING: frozenset[str] = frozenset()
# Between two decisions; after a longer gap no more than this is known to have passed.
_LONGEST_STEP_S = 1.0


@dataclass(frozen=True)
class Observation:
    """The situation to decide in, and what the decision has to report of a failed rekey."""

    situation: Situation
    note: str = ""
    blacklisted: tuple[str, ...] = ()


def observe(
    config: PolicyConfig,
    profile: Profile,
    order: SuiteOrder,
    state: PolicyState,
    inputs: DecisionInput,
    lasting: Mapping[str, Condition],
) -> Observation:
    """Return the situation with the updated state; a clock that went back resets the state.

    `lasting` has the conditions whose duration is measured: LASTING and those of the rules.
    """
    if state.now_s is not None and inputs.now_s < state.now_s:
        state = PolicyState()
    now_s = inputs.now_s
    passed_s = now_s - state.now_s if state.now_s is not None else _LONGEST_STEP_S
    if passed_s > config.stale_s:
        state = _begin_anew(state)
    state = pruned(state.updated(now_s=now_s), now_s)
    window_s = config.rekey_window_s
    if state.rekeys_s and now_s - state.rekeys_s[0] >= window_s:
        recent = tuple(at_s for at_s in state.rekeys_s if now_s - at_s < window_s)
        state = replace(state, rekeys_s=recent)
    note, blacklisted = "", ()
    session = inputs.session.fresh(config.stale_s)
    if session is not None and session.suite:
        state = _session(order, state, inputs, session)
        state, note, blacklisted = _failure(config, order, state, session)
    if state.pending is not None and now_s - state.pending.since_s >= state.pending.patience_s:
        state = _give_up(state, state.pending.target)

    by_tunnel = session.blacklisted if session is not None else _NOTHING
    barred = barred_suites(state, order, by_tunnel)
    s = Situation(config, profile, order, inputs, state, barred)
    s = _conditions(s, min(passed_s, _LONGEST_STEP_S), lasting)
    return Observation(s, note, blacklisted)


def _session(
    order: SuiteOrder, state: PolicyState, inputs: DecisionInput, session: Session
) -> PolicyState:
    """Detect switches and fresh keys, and whether a requested rekey is over."""
    now_s = inputs.now_s
    renewed = (state.suite, state.epoch) != (session.suite, session.epoch)
    if session.key_age_s is not None:
        keys_since_s: float | None = now_s - session.key_age_s - inputs.session.age_s
    else:
        keys_since_s = now_s if renewed else state.keys_since_s
    asked = state.pending is not None and _settled(state.pending, session, keys_since_s)
    if asked:
        state = replace(state, pending=None, failed=None)
    ratcheted = state.ratchets_seen is not None and session.ratchets > state.ratchets_seen
    if ratcheted:
        in_a_row = state.ratchets_in_a_row + session.ratchets - (state.ratchets_seen or 0)
        state = replace(state, ratchets_in_a_row=in_a_row)
    elif renewed and state.suite is not None:
        state = replace(state, ratchets_in_a_row=0)
    if state.suite is not None and state.suite != session.suite:
        step = int(asked and _is_lighter(order, session, state.suite))
        state = replace(
            state,
            steps_down=state.steps_down + step,
            previous_suite=state.suite,
            switched_at_s=now_s,
            blackouts_at_switch=state.blackouts_seen,
        )
    return state.updated(
        suite=session.suite,
        epoch=session.epoch,
        ratchets_seen=session.ratchets,
        keys_since_s=keys_since_s,
    )


def _is_lighter(order: SuiteOrder, session: Session, before: str) -> bool:
    new, old = find_suite(session.suite), find_suite(before)
    return new is not None and old is not None and order.lighter(new, old)


def _settled(pending: Pending, session: Session, keys_since_s: float | None) -> bool:
    """Return whether the session has changed since a rekey was requested.

    Any newer keys count: a tunnel that was restarted has forgotten the request.
    """
    if keys_since_s is not None and keys_since_s > pending.since_s:
        return True
    before = (pending.suite, pending.epoch)
    return pending.target == session.suite and before != (session.suite, session.epoch)


def _failure(
    config: PolicyConfig, order: SuiteOrder, state: PolicyState, session: Session
) -> tuple[PolicyState, str, tuple[str, ...]]:
    """Blacklist the suite of a rekey that has just failed, unless it is in use.

    A jammer can make a rekey time out, so that such a failure bars no suite: the same one is
    requested again after a while.
    """
    failure = session.failure
    count = failure.count if failure is not None else 0
    seen = state.failures_seen
    state = state.updated(failures_seen=count)
    if failure is None or seen is None or count <= seen:
        return state, "", ()
    state = _give_up(state, failure.suite)
    note = f"The rekey to {failure.suite} failed ({failure.reason})"
    if failure.suite == session.suite or not failure.authenticated:
        return state, f"{note}; the old keys stay. ", ()
    until_s = (state.now_s or 0.0) + config.blacklist_s
    listed = blacklist(state, order, session.blacklisted, failure.suite, until_s)
    if listed is None:
        return state, f"{note}; no other suite is allowed. ", ()
    return listed, f"{note}; it is blacklisted for {config.blacklist_s:g} s. ", (failure.suite,)


def _give_up(state: PolicyState, suite: str) -> PolicyState:
    """Return the state after a rekey to a suite has failed: it does not count as one.

    Somebody else may have asked for it; then the policy's own request is still out.
    """
    pending, failed = state.pending, state.failed
    in_a_row = failed.in_a_row + 1 if failed is not None and failed.suite == suite else 1
    state = replace(state, failed=FailedRekey(suite, state.now_s or 0.0, in_a_row))
    if pending is None or pending.target != suite:
        return state
    return replace(
        state,
        pending=None,
        no_one_time_s=state.now_s if pending.one_time else state.no_one_time_s,
        event_s={rule: at_s for rule, at_s in state.event_s.items() if at_s != pending.since_s},
        rekeys_s=tuple(at_s for at_s in state.rekeys_s if at_s != pending.since_s),
    )


def _begin_anew(state: PolicyState) -> PolicyState:
    """Return the state after a time without decisions: nothing is known to have lasted in it.

    The process stood still, or the clock was set forward.
    """
    return state.updated(since={}, levels=replace(state.levels, link_since_s=None))


def _low_voltage_s(s: Situation, passed_s: float) -> float:
    """Return for how long the voltage was too low; an unknown one changes nothing."""
    lasted_s, voltage_v = s.state.low_voltage_s, s.voltage_v
    if voltage_v is None:
        return lasted_s
    return _leaking_s(lasted_s, passed_s, s.low_voltage, voltage_v >= s.pack.clear_v)


def _hot_s(s: Situation, passed_s: float) -> float:
    """Return for how long it was too hot; an unknown temperature changes nothing."""
    lasted_s, config = s.state.hot_s, s.config
    if s.temperature_c is None:
        return lasted_s
    clear_c = config.emergency_temperature_c - config.emergency_temperature_clear_c
    return _leaking_s(lasted_s, passed_s, s.too_hot, s.temperature_c <= clear_c)


def _leaking_s(lasted_s: float, passed_s: float, beyond: bool, clear: bool) -> float:
    """Return the time beyond a threshold: time within it counts back by half, a clear value all."""
    if beyond:
        return lasted_s + passed_s
    return 0.0 if clear else max(lasted_s - passed_s / 2.0, 0.0)


def _stable(s: Situation) -> bool:
    """Return whether keys may be renewed, which needs a good link."""
    if "link" not in s.known or (s.config.stable_needs_all and s.missing):
        return False
    return not (s.link_bad or s.stressed or s.emergency)


def _calm(s: Situation) -> bool:
    """Return whether suites may get heavier, which needs every input."""
    return _stable(s) and not (s.missing or s.under_attack or s.near_emergency)


LASTING: Mapping[str, Condition] = {
    "stable": _stable,
    "calm": _calm,
    "eased": lambda s: not s.pressed,
    "lossy": lambda s: s.loss is not None and s.loss > s.config.cue_loss,
}


def _conditions(s: Situation, passed_s: float, lasting: Mapping[str, Condition]) -> Situation:
    """Start, keep or clear the timers of the conditions that have to persist."""
    state, now_s = _phase(s, _blackouts(s)), s.now_s
    levels = expert_levels.update(s)
    state = state.updated(
        levels=levels,
        low_voltage_s=_low_voltage_s(s, passed_s),
        hot_s=_hot_s(s, passed_s),
        attack_over_s=now_s if state.levels.advisor and not levels.advisor else state.attack_over_s,
        attack_class=s.attack_class if s.under_attack else state.attack_class,
        credit_bytes=airtime.credit_bytes(s, passed_s),
    )
    now = s.with_state(state)
    since = {name: state.since.get(name, now_s) for name, holds in lasting.items() if holds(now)}
    eased = "eased" in since and now_s - since["eased"] >= s.config.persistence_s
    return now.with_state(state.updated(since=since, steps_down=0 if eased else state.steps_down))


def _phase(s: Situation, state: PolicyState) -> PolicyState:
    """Return the state after the newest phase; an unknown one changes nothing."""
    phase = s.inputs.phase.fresh(s.config.stale_s)
    if phase is None or phase is state.phase:
        return state
    since_s = None if phase.renews else state.no_renewals_since_s or s.now_s
    return replace(state, phase=phase, no_renewals_since_s=since_s)


def _blackouts(s: Situation) -> PolicyState:
    """Take over the tunnel's count of blackouts, also after a restart of the tunnel."""
    state = s.state
    count = s.link.blackouts if s.link is not None else None
    if count is None:
        return state
    before = state.blackouts_at_switch
    if before is None or count < before:
        before = count
    return state.updated(blackouts_seen=count, blackouts_at_switch=before)
