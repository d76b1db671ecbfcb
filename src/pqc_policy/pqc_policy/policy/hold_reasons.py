# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reasons to hold although a rule has proposed a change; they apply to every rule."""

from __future__ import annotations

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import find_suite


def hold_reason(s: Situation, proposal: Proposal) -> str | None:
    """Return why a proposal can't be carried out now, as the end of a sentence; None if it can."""
    if proposal.target is None:
        return None
    return (
        _rekey_under_way(s, proposal)
        or _failed_recently(s, proposal.target)
        or _interruption(s, proposal.target)
        or _rate_limit(s, proposal)
    )


def _rekey_under_way(s: Situation, proposal: Proposal) -> str | None:
    if s.session is not None and s.session.rekeying:
        return "a rekey is under way"
    pending = s.state.pending
    if pending is None:
        return None
    if proposal.action is Action.DOWN_TO_LIGHTEST and pending.target != proposal.target:
        return None
    since_s = s.now_s - pending.since_s
    return f"the rekey to {pending.target}, requested {since_s:.0f} s ago, is not done"


def _failed_recently(s: Situation, target: str) -> str | None:
    """Limit the retries of the only suite that is left."""
    if s.state.failed is None or s.state.failed[0] != target:
        return None
    since_s = s.now_s - s.state.failed[1]
    if since_s >= s.config.retry_s:
        return None
    return f"a rekey to {target} failed {since_s:.0f} s ago, less than {s.config.retry_s:g} s"


def _interruption(s: Situation, target: str) -> str | None:
    suite = find_suite(target)
    if suite is None:
        return f"there is no suite {target}"
    predicted_s = s.profile.cost(suite).interruption_s
    limit_s = s.config.max_interruption_s
    if predicted_s <= limit_s:
        return None
    return f"{target} would interrupt the link for {predicted_s:.1f} s, more than {limit_s:g} s"


def _rate_limit(s: Situation, proposal: Proposal) -> str | None:
    """Limit rekeys within the window; some are reserved for switches."""
    if proposal.action is Action.DOWN_TO_LIGHTEST:
        return None
    routine = proposal.action is Action.REKEY
    limit = s.config.rekey_limit - (s.config.rekey_reserve if routine else 0)
    attempts_s = s.state.attempts_s
    if len(attempts_s) < limit:
        return None
    wait_s = attempts_s[len(attempts_s) - limit] + s.config.rekey_window_s - s.now_s
    kind = "routine rekeys" if routine else "rekeys"
    return f"{limit} {kind} in {s.config.rekey_window_s:g} s are the limit, for {wait_s:.0f} s more"
