# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Updates the state with the newest inputs, before a rule looks at it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pqc_policy.policy import expert_levels
from pqc_policy.policy.blacklist import barred_suites, blacklist, pruned
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.inputs import DecisionInput, Session, Verdict
from pqc_policy.policy.profile import Profile
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.state import Pending, PolicyState
from pqc_policy.policy.suite_order import SuiteOrder

_NOTHING: frozenset[str] = frozenset()


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
) -> Observation:
    """Return the situation with the updated state; a clock that went back resets the state."""
    if state.now_s is not None and inputs.now_s < state.now_s:
        state = PolicyState()
    now_s = inputs.now_s
    state = pruned(replace(state, now_s=now_s), now_s)
    window_s = config.rekey_window_s
    state = replace(
        state, attempts_s=tuple(at_s for at_s in state.attempts_s if now_s - at_s < window_s)
    )
    note, blacklisted = "", ()
    session = inputs.session.fresh(config.stale_s)
    if session is not None and session.suite:
        state = _session(state, inputs, session)
        state, note, blacklisted = _failure(config, order, state, session)
    if state.pending is not None and now_s - state.pending.since_s >= config.pending_s:
        state = replace(state, pending=None)

    by_tunnel = session.blacklisted if session is not None else _NOTHING
    barred = barred_suites(state, order, by_tunnel)
    state = _conditions(Situation(config, profile, order, inputs, state, barred))
    return Observation(Situation(config, profile, order, inputs, state, barred), note, blacklisted)


def _session(state: PolicyState, inputs: DecisionInput, session: Session) -> PolicyState:
    """Detect switches and fresh keys, and whether a requested rekey is over."""
    now_s = inputs.now_s
    renewed = (state.suite, state.epoch) != (session.suite, session.epoch)
    if session.key_age_s is not None:
        keys_since_s: float | None = now_s - session.key_age_s - inputs.session.age_s
    else:
        keys_since_s = now_s if renewed else state.keys_since_s
    if state.pending is not None and _settled(state.pending, session, keys_since_s):
        state = replace(state, pending=None)
    if state.suite is not None and state.suite != session.suite:
        state = replace(
            state,
            previous_suite=state.suite,
            switched_at_s=now_s,
            blackouts_at_switch=state.blackouts_seen,
            link_bad_since_s=None,
            stress_since_s=None,
        )
    return replace(state, suite=session.suite, epoch=session.epoch, keys_since_s=keys_since_s)


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

    A jammer can make a rekey time out, so that such a failure counts for retry_s only.
    """
    failure = session.failure
    count = failure.count if failure is not None else 0
    seen = state.failures_seen
    state = replace(state, failures_seen=count)
    if failure is None or seen is None or count <= seen:
        return state, "", ()
    now_s = state.now_s or 0.0
    state = replace(state, pending=None, failed=(failure.suite, now_s))
    note = f"The rekey to {failure.suite} failed ({failure.reason})"
    if failure.suite == session.suite:
        return state, f"{note}; the old keys stay. ", ()
    for_s = config.blacklist_s if failure.authenticated else config.retry_s
    listed = blacklist(state, order, session.blacklisted, failure.suite, now_s + for_s)
    if listed is None:
        return state, f"{note}; no other suite is allowed. ", ()
    return listed, f"{note}; it is blacklisted for {for_s:g} s. ", (failure.suite,)


def _conditions(s: Situation) -> PolicyState:
    """Start, keep or clear the timers of the conditions that have to persist."""
    state, now_s = s.state, s.now_s
    state = _blackouts(s)

    def lasting(condition: bool, since_s: float | None) -> float | None:
        if not condition:
            return None
        return now_s if since_s is None else since_s

    known = all(
        getattr(s.inputs, name).fresh(s.config.stale_s) is not None
        for name in s.config.required_inputs
    )
    stable = known and not (s.link_bad or s.stressed or s.emergency)
    under_attack = s.inputs.advisor.fresh(s.config.stale_s) is Verdict.ATTACK
    return replace(
        state,
        link_bad_since_s=lasting(s.link_bad, state.link_bad_since_s),
        stress_since_s=lasting(s.stressed, state.stress_since_s),
        stable_since_s=lasting(stable, state.stable_since_s),
        calm_since_s=lasting(
            stable and not s.near_emergency and not under_attack, state.calm_since_s
        ),
        levels=expert_levels.update(s),
    )


def _blackouts(s: Situation) -> PolicyState:
    """Take over the tunnel's count of blackouts, also after a restart of the tunnel."""
    state = s.state
    count = s.link.blackouts if s.link is not None else None
    if count is None:
        return state
    before = state.blackouts_at_switch
    if before is None or count < before:
        before = count
    return replace(state, blackouts_seen=count, blackouts_at_switch=before)
