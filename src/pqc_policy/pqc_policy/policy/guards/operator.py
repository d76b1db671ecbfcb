# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The guard of the operator's hold: a suite that was asked for, for a while."""

from __future__ import annotations

from collections.abc import Iterator

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import find_suite


def _awaits(s: Situation) -> Iterator[str]:
    if s.held is not None:
        yield f"the operator's hold ends in {s.held.until_s - s.now_s:.0f} s"


@rule("session", awaits=_awaits)
def operator(s: Situation) -> Proposal | None:
    """Keep the suite that the operator holds; its keys are renewed as the strategy wishes."""
    held = s.held
    if held is None or s.current is None:
        return None
    why = f"The operator holds {held.suite} for {held.until_s - s.now_s:.0f} s more"
    wanted = find_suite(held.suite)
    if wanted is None or not s.order.may_choose(wanted, s.barred):
        return Proposal(Action.HOLD, f"{why}, but it may not be chosen now.")
    if wanted == s.current:
        return Proposal(Action.HOLD, f"{why}.", yields=True)
    if s.order.lighter(wanted, s.current):
        return Proposal(Action.DOWN, f"{why}.", target=wanted.id)
    if s.disarmed and not s.pressed:
        return Proposal(Action.UPGRADE, f"{why}.", target=wanted.id)
    needed = "a disarmed drone, all inputs, and nothing that presses"
    return Proposal(Action.HOLD, f"{why}, but a heavier suite needs {needed}.")
