# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The guard of the time after a switch."""

from __future__ import annotations

from collections.abc import Iterator

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.wording import apart


def _awaits(s: Situation) -> Iterator[str]:
    since_s = s.age_s(s.state.switched_at_s)
    if since_s is not None and since_s < s.config.cooldown_s:
        yield f"no other switch for {s.config.cooldown_s - since_s:.0f} s, except in an emergency"


@rule("session", numbers=("cooldown_s",), awaits=_awaits)
def cooldown(s: Situation) -> Proposal | None:
    """Hold for a while after a switch."""
    since_s = s.age_s(s.state.switched_at_s)
    if since_s is None or since_s >= s.config.cooldown_s:
        return None
    since, limit = apart(since_s, s.config.cooldown_s, 1)
    return Proposal(Action.HOLD, f"The latest switch was {since} s ago, less than {limit} s.")
