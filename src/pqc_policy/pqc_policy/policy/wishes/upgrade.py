# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The wish for a heavier suite, on the ground."""

from __future__ import annotations

from collections.abc import Iterator

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import Suite, find_suite


def _target(s: Situation) -> Suite | None:
    ceiling = find_suite(s.config.ceiling)
    if s.current is None or ceiling is None:
        return None
    return s.order.up(s.current, ceiling, s.barred)


def _awaits(s: Situation) -> Iterator[str]:
    if _target(s) is None:
        return
    if not s.disarmed:
        yield "one step up only while disarmed"
        return
    calm_s = s.since_switch_s("calm")
    wait_s = s.config.upgrade_stable_s - (calm_s or 0.0)
    if calm_s is None or wait_s > 0:
        yield f"one step up after {wait_s:.0f} s more of calm on the ground"


@rule("session", "armed", required=True, numbers=("upgrade_stable_s", "ceiling"), awaits=_awaits)
def upgrade(s: Situation) -> Proposal | None:
    """Go one step up, at most to the ceiling, when it has been calm on the ground for a while."""
    calm_s = s.since_switch_s("calm")
    if not s.disarmed or calm_s is None or calm_s < s.config.upgrade_stable_s:
        return None
    target = _target(s)
    if target is None:
        return None
    why = f"Disarmed and calm for {calm_s:.0f} s: one step up."
    return Proposal(Action.UPGRADE, why, target=target.id)
