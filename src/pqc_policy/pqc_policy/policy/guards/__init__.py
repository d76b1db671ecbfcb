# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The guards that every strategy shares: those that decide first, and those that hold a proposal.

`paper_2025` alone has an order of its own.
"""

from __future__ import annotations

from collections.abc import Callable

from pqc_policy.policy.decision import HoldReason, Proposal
from pqc_policy.policy.guards.blackout import blackout
from pqc_policy.policy.guards.budget import budget
from pqc_policy.policy.guards.cooldown import cooldown
from pqc_policy.policy.guards.emergency import emergency
from pqc_policy.policy.guards.endure import endure
from pqc_policy.policy.guards.interruption import interruption
from pqc_policy.policy.guards.nominal import nominal
from pqc_policy.policy.guards.operator import operator
from pqc_policy.policy.guards.retry import retry
from pqc_policy.policy.guards.safety import safety
from pqc_policy.policy.guards.session import session
from pqc_policy.policy.guards.under_way import under_way
from pqc_policy.policy.rule import Rule
from pqc_policy.policy.situation import Situation

BEFORE: tuple[Rule, ...] = (session, emergency, blackout, cooldown, operator)
AFTER: tuple[Rule, ...] = (safety, endure, nominal)
HOLDING: tuple[Callable[[Situation, Proposal, str], HoldReason | None], ...] = (
    under_way,
    retry,
    interruption,
    budget,
)


def hold_reason(s: Situation, proposal: Proposal) -> HoldReason | None:
    """Return why a proposal can't be carried out now; None if it can."""
    if proposal.target is None:
        return None
    found = (holds(s, proposal, proposal.target) for holds in HOLDING)
    return next((held for held in found if held is not None), None)
