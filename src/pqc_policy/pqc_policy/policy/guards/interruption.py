# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The guard against suites whose switch is predicted to interrupt the link for too long (I1)."""

from __future__ import annotations

from pqc_policy.policy.decision import INTERRUPTION, HoldReason, Proposal
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import find_suite
from pqc_policy.policy.wording import apart


def interruption(s: Situation, _: Proposal, target: str) -> HoldReason | None:
    """Hold a switch that would stop the data for more than max_interruption_s."""
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
