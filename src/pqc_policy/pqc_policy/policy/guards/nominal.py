# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The guard that comes last."""

from __future__ import annotations

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation

_NOTHING = Proposal(Action.HOLD, "No rule proposes a change.", rule="nominal")


@rule()
def nominal(_: Situation) -> Proposal | None:
    """Hold, for no other rule applies."""
    return _NOTHING
