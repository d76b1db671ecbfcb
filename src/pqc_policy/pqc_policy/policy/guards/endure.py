# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The guard that says why nothing is done while an attack lasts."""

from __future__ import annotations

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation


@rule("session")
def endure(s: Situation) -> Proposal | None:
    """Hold while an attack lasts against which nothing is left to do."""
    if s.response is None:
        return None
    why = f"Under attack{s.attack_text}: the suite stays, for {s.response.why}."
    return Proposal(Action.HOLD, why)
