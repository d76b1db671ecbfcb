# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The rule of the operator's hold: a suite that was asked for, for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqc_policy.policy import renewals
from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.inputs import hold_request_fault
from pqc_policy.policy.needs import needs
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import find_suite

if TYPE_CHECKING:
    from pqc_policy.policy.engine import Policy


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


def hold_fault(policy: Policy, suite_id: str, seconds: float) -> str | None:
    """Return why a hold is not accepted, as a sentence; None if it is. No suite releases it."""
    fault = hold_request_fault(suite_id, seconds)
    if fault is not None or not suite_id:
        return fault
    if operator not in policy.strategy.rules:
        return f"The strategy {policy.config.strategy} has no rule operator: it holds no suite."
    suite = find_suite(suite_id)
    if suite is None or not policy.order.may_choose(suite, ()):
        return f"The policy may not choose {suite_id}."
    return None
