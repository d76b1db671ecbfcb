# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A baseline: the layers of `layered` on a timer, whatever link, battery and computer do."""

from __future__ import annotations

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.protection import FORMS
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.strategies.strategy import Strategy
from pqc_policy.policy.wishes.home import alike

_EVERY_S = 60.0


@rule("session")
def rotate(s: Situation) -> Proposal | None:
    """Rekey to the KEM of the next form each minute, and fetch its key within the rekey."""
    keys_s = s.age_s(s.state.keys_since_s)
    if s.current is None or keys_s is None or keys_s < _EVERY_S:
        return None
    families = [FORMS[form][1] for form in s.config.layers]
    place = families.index(s.current.family) if s.current.family in families else -1
    family = families[(place + 1) % len(families)]
    target = next(iter(alike(s, family)), s.current)
    return Proposal(Action.LAYER, f"The keys are {keys_s:.0f} s old: to the next form.", target.id)


ROTATE = Strategy((rotate,), {"rekey_limit": 100, "rekey_reserve": 20})
