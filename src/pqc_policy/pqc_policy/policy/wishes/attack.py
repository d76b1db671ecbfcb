# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The wishes for fresh keys after what makes them worth more than their cost: an attack."""

from __future__ import annotations

from collections.abc import Iterator

from pqc_policy.policy.decision import Limit, Proposal
from pqc_policy.policy.guards.budget import routine_is_spent
from pqc_policy.policy.responses import FreshKeys, response_to
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.wishes.renewal import renewable, renewal


def after_event(
    s: Situation, name: str, since_s: float, why: str, *, ratchet: bool = False
) -> Proposal | None:
    """Return fresh keys after what the rule `name` has seen, at most once in rekey_window_s.

    A wish that would have to wait is none: it must not keep the rules below from acting.
    """
    suite, state = renewable(s), s.state
    if suite is None or routine_is_spent(s) or not s.phase_renews:
        return None
    made_s = (state.keys_since_s, *state.event_s.values(), *state.rekeys_s[-1:])
    if any(at_s is not None and at_s >= since_s for at_s in made_s):
        return None
    before_s = s.age_s(state.event_s.get(name))
    if before_s is not None and before_s < s.config.rekey_window_s:
        return None
    return renewal(s, suite, why, ratchet=ratchet, limit=Limit.EVENTS)


def _awaits(s: Situation) -> Iterator[str]:
    before_s = s.age_s(s.state.event_s.get("attack"))
    left_s = s.config.rekey_window_s - before_s if before_s is not None else 0.0
    if left_s > 0.0:
        yield f"no other attack brings fresh keys for {left_s:.0f} s"


@rule("session", "link", numbers=("rekey_window_s",), awaits=_awaits)
def attack(s: Situation) -> Proposal | None:
    """Make fresh keys at once when an attack begins, or ends, against which they help."""
    response, since_s = s.response, s.state.levels.advisor_since_s
    if response is not None and since_s is not None:
        if response.keys is not FreshKeys.NOW:
            return None
        how = (
            " by a ratchet, the least that has to get through"
            if response.ratchets
            else ", with which recorded datagrams are void"
        )
        why = f"Under attack{s.attack_text}: fresh keys at once{how}"
        return after_event(s, "attack", since_s, why, ratchet=response.ratchets)
    over_s = s.state.attack_over_s
    if not over_s or response_to(s.state.attack_class).keys is not FreshKeys.AFTER:
        return None
    void = "fresh keys, with which what was withheld is void"
    return after_event(s, "attack", over_s, f"The attack{s.attack_text} is over: {void}")
