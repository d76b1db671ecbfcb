# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The guard that holds a proposal while a rekey is under way."""

from __future__ import annotations

from collections.abc import Iterator

from pqc_policy.policy.decision import UNDER_WAY, Action, HoldReason, Proposal
from pqc_policy.policy.situation import Situation


def under_way(s: Situation, proposal: Proposal, target: str) -> HoldReason | None:
    """Wait for the end of a rekey; an emergency waits for none but its own.

    The tunnel may refuse it meanwhile: it is asked again after retry_s.
    """
    pending = s.state.pending
    if proposal.action is Action.DOWN_TO_LIGHTEST and (pending is None or pending.target != target):
        return None
    if s.session is not None and s.session.rekeying:
        return HoldReason(UNDER_WAY, "a rekey is under way")
    if pending is None:
        return None
    since_s = s.now_s - pending.since_s
    return HoldReason(
        UNDER_WAY,
        f"the rekey to {pending.target}, requested {since_s:.0f} s ago, is not done",
        pending.since_s + pending.patience_s,
    )


def awaits(s: Situation) -> Iterator[str]:
    """Yield that the policy waits for a rekey, if it does."""
    pending = s.state.pending
    if pending is not None:
        left_s = pending.since_s + pending.patience_s - s.now_s
        yield f"the policy waits for the rekey to {pending.target}, for at most {left_s:.0f} s more"
    elif s.session is not None and s.session.rekeying:
        yield "the policy waits for the end of the rekey that is under way"
