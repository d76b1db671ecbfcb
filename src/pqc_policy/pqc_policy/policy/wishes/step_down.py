# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A step to the next lighter suite, for strategies that take some."""

from __future__ import annotations

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.situation import Situation


def step_down(s: Situation, why: str) -> Proposal:
    """Propose one step down, or to hold where none is left in this episode."""
    target = s.order.down(s.current, s.barred) if s.current is not None else None
    if target is None:
        return Proposal(Action.HOLD, f"{why}; no lighter suite is left.")
    if s.episode_is_spent:
        return Proposal(Action.HOLD, f"{why}; {s.episode_is_spent}")
    return Proposal(Action.DOWN, f"{why}: one step down.", target=target.id)
