# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Fresh keys when the landing begins."""

from __future__ import annotations

from pqc_policy.policy.decision import Proposal
from pqc_policy.policy.inputs import Phase
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.wishes.renew import renewal_within_budget
from pqc_policy.policy.wishes.renewal import renewable


@rule(
    "session",
    "link",
    numbers=("renew_min_s",),
    lasting=lambda s: s.inputs.phase.fresh(s.config.stale_s) is Phase.LANDING,
)
def landing(s: Situation) -> Proposal | None:
    """Renew the keys when the landing begins: a drone is lost on the ground, if anywhere."""
    since_s, keys_since_s = s.state.since.get("landing"), s.state.keys_since_s
    suite = renewable(s)
    if suite is None or since_s is None or keys_since_s is None or keys_since_s >= since_s:
        return None
    if s.link_bad or s.now_s - keys_since_s < s.config.renew_min_s:
        return None
    return renewal_within_budget(s, suite, "The landing begins", urgent=True)
