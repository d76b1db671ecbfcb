# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Fresh secrets for old layers, so that whoever stole the live keys loses what they are worth."""

from __future__ import annotations

from pqc_policy.policy.decision import Proposal
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.wishes.layer import awaits_ways, proposal_of
from pqc_policy.policy.wishes.ways import aged


@rule(
    "session",
    "link",
    numbers=("layers_max_age_s", "heal_s", "one_time_heal_s"),
    awaits=lambda s: awaits_ways(s, aged(s), "fresh"),
)
def refresh(s: Situation) -> Proposal | None:
    """Refresh a form whose newest secret is too old, so that stolen live keys lose their worth."""
    return proposal_of(s, aged(s), "The chain's newest secret is old:")
