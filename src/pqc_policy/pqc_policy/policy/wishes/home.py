# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The light suite that the data is sent under, and the way back to it from a layer's suite."""

from __future__ import annotations

from collections.abc import Iterator

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.protection import FORM_OF
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import KemFamily, Suite


def alike(s: Situation, family: KemFamily | None = None) -> list[Suite]:
    """Return the usable suites of the level, cipher and signature in use, lightest first."""
    if s.current is None:
        return []
    found = s.order.alike(s.current, s.barred)
    return [suite for suite in found if family is None or suite.family is family]


def home(s: Situation) -> Suite | None:
    """Return the lightest suite like the one in use."""
    return next(iter(alike(s)), None)


def _awaits(s: Situation) -> Iterator[str]:
    target = home(s)
    if target is not None and target != s.current:
        yield f"back to {target.id} after {s.config.cooldown_s:g} s"


@rule("session", awaits=_awaits)
def back(s: Situation) -> Proposal | None:
    """Return to the lightest suite of this level once another KEM's secret is in the keys."""
    target = home(s)
    if s.current is None or target is None or not s.order.lighter(target, s.current):
        return None
    form = FORM_OF[s.current.family]
    why = f"The secret of {s.current.kem_name} ({form}) is in the keys: back to the light suite."
    return Proposal(Action.LAYER, why, target=target.id)
