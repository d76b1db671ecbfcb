# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The wish for fresh keys after a warning: another drone of the fleet reports an attack."""

from __future__ import annotations

from collections.abc import Iterator

from pqc_policy.policy.decision import Limit, Proposal
from pqc_policy.policy.guards.budget import routine_is_spent
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.wishes.renewal import renewable, renewal, stagger_s


def _awaits(s: Situation) -> Iterator[str]:
    before_s = s.age_s(s.state.warned_rekey_s)
    if s.warned and before_s is not None and before_s < s.config.warned_rekey_s:
        yield f"no warning brings fresh keys for {s.config.warned_rekey_s - before_s:.0f} s"


@rule(
    "session",
    "link",
    numbers=("warned_s", "warned_rekey_s"),
    awaits=_awaits,
    lasting=lambda s: s.warned,
)
def fleet(s: Situation) -> Proposal | None:
    """Renew the keys early after another drone's attack, at most once in warned_rekey_s.

    A warning is the word of another drone: it leads to no other suite, presses nothing, counts
    towards no limit of this drone's own rekeys, and an attempt that fails is not repeated.
    """
    since_s, before_s = s.state.since.get("fleet"), s.age_s(s.state.warned_rekey_s)
    suite, keys_since_s = renewable(s), s.state.keys_since_s
    if suite is None or since_s is None or s.now_s - since_s < stagger_s(s.config):
        return None
    if before_s is not None and before_s < s.config.warned_rekey_s:
        return None
    if routine_is_spent(s) or not s.phase_renews:
        return None
    if keys_since_s is not None and keys_since_s >= since_s:
        return None
    why = "Another drone of the fleet reports an attack: fresh keys early"
    return renewal(s, suite, why, limit=Limit.WARNINGS)
