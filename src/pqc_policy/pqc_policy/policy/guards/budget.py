# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The guard of the budget: so many rekeys within a window, some of them reserved for switches."""

from __future__ import annotations

from pqc_policy.policy.decision import LIMIT, Action, HoldReason, Proposal
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.wording import counted


def budget(s: Situation, proposal: Proposal, _: str) -> HoldReason | None:
    """Limit rekeys within the window; an emergency is exempt."""
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


def routine_is_spent(s: Situation) -> bool:
    """Return whether no renewal may follow now."""
    return len(s.state.rekeys_s) >= s.config.routine_limit
