# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reasons to hold although a rule has proposed a change; they apply to every rule."""

from __future__ import annotations

from pqc_policy.policy.decision import (
    INTERRUPTION,
    LIMIT,
    RETRY,
    UNDER_WAY,
    Action,
    HoldReason,
    Proposal,
)
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import find_suite
from pqc_policy.policy.wording import apart, counted

_MOST_DOUBLINGS = 20


def hold_reason(s: Situation, proposal: Proposal) -> HoldReason | None:
    """Return why a proposal can't be carried out now; None if it can."""
    if proposal.target is None:
        return None
    return (
        _rekey_under_way(s, proposal)
        or _failed_recently(s, proposal, proposal.target)
        or _interruption(s, proposal.target)
        or _rate_limit(s, proposal)
    )


def _rekey_under_way(s: Situation, proposal: Proposal) -> HoldReason | None:
    if s.session is not None and s.session.rekeying:
        return HoldReason(UNDER_WAY, "a rekey is under way")
    pending = s.state.pending
    if pending is None:
        return None
    if proposal.action is Action.DOWN_TO_LIGHTEST and pending.target != proposal.target:
        return None
    since_s = s.now_s - pending.since_s
    return HoldReason(
        UNDER_WAY,
        f"the rekey to {pending.target}, requested {since_s:.0f} s ago, is not done",
        pending.since_s + s.config.pending_s,
    )


def _failed_recently(s: Situation, proposal: Proposal, target: str) -> HoldReason | None:
    """Wait after a failure, longer after each further one in a row; not in an emergency."""
    failed = s.state.failed
    if failed is None or failed.suite != target:
        return None
    urgent = proposal.action is Action.DOWN_TO_LIGHTEST
    doublings = 0 if urgent else min(failed.in_a_row - 1, _MOST_DOUBLINGS)
    wait_s = min(s.config.retry_s * 2**doublings, s.config.retry_most_s)
    if s.now_s - failed.at_s >= wait_s:
        return None
    since, limit = apart(s.now_s - failed.at_s, wait_s, 0)
    return HoldReason(
        RETRY,
        f"a rekey to {target} failed {since} s ago, less than {limit} s",
        failed.at_s + wait_s,
    )


def _interruption(s: Situation, target: str) -> HoldReason | None:
    suite = find_suite(target)
    if suite is None:
        return HoldReason(INTERRUPTION, f"there is no suite {target}")
    predicted_s = s.cost(suite).interruption_s
    if predicted_s <= s.config.max_interruption_s:
        return None
    predicted, limit = apart(predicted_s, s.config.max_interruption_s, 1)
    return HoldReason(
        INTERRUPTION, f"{target} would interrupt the link for {predicted} s, more than {limit} s"
    )


def _rate_limit(s: Situation, proposal: Proposal) -> HoldReason | None:
    """Limit rekeys within the window; some are reserved for switches."""
    if proposal.action is Action.DOWN_TO_LIGHTEST:
        return None
    routine = proposal.action is Action.REKEY
    limit = s.config.routine_limit if routine else s.config.rekey_limit
    rekeys_s = s.state.rekeys_s
    if len(rekeys_s) < limit:
        return None
    until_s = rekeys_s[len(rekeys_s) - limit] + s.config.rekey_window_s
    rekeys = counted(limit, "routine rekey" if routine else "rekey")
    return HoldReason(
        LIMIT,
        f"{rekeys} in {s.config.rekey_window_s:g} s {'is' if limit == 1 else 'are'} the limit; "
        f"the next one may follow in {until_s - s.now_s:.0f} s",
        until_s,
    )
