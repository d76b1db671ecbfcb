# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The guard of blackouts that follow a switch."""

from __future__ import annotations

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import Suite, find_suite
from pqc_policy.policy.wording import counted


@rule("session", "link", numbers=("blackout_count", "blackout_window_s", "blackout_blacklist_s"))
def blackout(s: Situation) -> Proposal | None:
    """Undo a switch that was followed by blackouts, and blacklist its suite."""
    since_s = s.age_s(s.state.switched_at_s)
    seen, before = s.state.blackouts_seen, s.state.blackouts_at_switch
    if since_s is None or since_s > s.config.blackout_window_s or s.current is None:
        return None
    if seen is None or before is None or seen - before <= s.config.blackout_count:
        return None
    blackouts = counted(seen - before, "blackout")
    why = f"{blackouts} within {s.config.blackout_window_s:g} s of the switch"
    barred = s.barred | {s.current.id}
    if s.order.lightest(barred) is None:
        return Proposal(Action.HOLD, f"{why}, but {s.current.id} is the last suite allowed.")
    target = _target(s, s.current, barred)
    if target is None:
        none_left = "under stress only lighter suites may be chosen, none is left"
        return Proposal(Action.HOLD, f"{why}; {none_left}.")
    if target.id != s.state.previous_suite and s.episode_is_spent:
        return Proposal(Action.HOLD, f"{why}; {s.episode_is_spent}")
    return Proposal(
        Action.ROLLBACK,
        f"{why}: {s.current.id} is blacklisted for {s.config.blackout_blacklist_s:g} s.",
        target=target.id,
        blacklist=s.current.id,
    )


def _target(s: Situation, current: Suite, barred: frozenset[str]) -> Suite | None:
    """Return the previous suite; only if that is lighter while anything presses."""
    previous = find_suite(s.state.previous_suite or "")
    if (
        previous is not None
        and s.order.may_choose(previous, barred)
        and not (s.pressed and s.order.lighter(current, previous))
    ):
        return previous
    return s.order.down(current, barred)
