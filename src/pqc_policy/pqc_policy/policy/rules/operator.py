# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The rule of the operator's hold: a suite that was asked for, for a while."""

from __future__ import annotations

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.rules import renewals
from pqc_policy.policy.rules.needs import needs
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import find_suite


@needs("session")
def operator(s: Situation) -> Proposal | None:
    """Keep the suite that the operator holds; emergencies and blackouts come before."""
    held = s.held
    if held is None or s.current is None:
        return None
    why = f"The operator holds {held.suite} for {held.until_s - s.now_s:.0f} s more"
    wanted = find_suite(held.suite)
    if wanted is None or not s.order.may_choose(wanted, s.barred):
        return Proposal(Action.HOLD, "operator", f"{why}, but it may not be chosen now.")
    if wanted == s.current:
        able = "link" in s.known
        renewal = renewals.any_of(s) if able else None
        return renewal or Proposal(Action.HOLD, "operator", f"{why}.")
    if s.order.lighter(wanted, s.current):
        return Proposal(Action.DOWN, "operator", f"{why}.", target=wanted.id)
    if not s.disarmed or s.pressed:
        return Proposal(
            Action.HOLD,
            "operator",
            f"{why}, but a heavier suite needs a disarmed drone, all inputs, and nothing that "
            "presses.",
        )
    return Proposal(Action.UPGRADE, "operator", f"{why}.", target=wanted.id)
