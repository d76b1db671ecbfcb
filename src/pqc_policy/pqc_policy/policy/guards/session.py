# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The guard of the session, which every other rule needs."""

from __future__ import annotations

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.guards.safety import SAFETY, no_suite, unusable
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation


@rule(numbers=("stale_s",))
def session(s: Situation) -> Proposal | None:
    """Hold while there is no session, or its state is stale."""
    if s.current is not None:
        return None
    return Proposal(Action.HOLD, unusable(s, "session") or no_suite(s), rule=SAFETY)
