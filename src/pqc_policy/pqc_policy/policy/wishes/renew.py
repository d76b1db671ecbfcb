# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Renewals as often as the budget of airtime affords them."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from pqc_policy.policy import airtime
from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.protection import RATCHET_BYTES
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import Suite
from pqc_policy.policy.wishes.renewal import last_epoch, renewable, stagger_s
from pqc_policy.policy.wishes.ways import saved_bytes

# A decision comes once a second, and a ratchet may have to be sent again.
_LEAD_S = 3.0
_SHARE_OF_SAVED = 0.1


def _full_every_s(s: Situation, suite: Suite) -> float:
    """Return how often the budget affords a full rekey, in s."""
    budget = airtime.budget_bytes_s(s)
    return airtime.whole_bytes(s, suite) / budget if budget else inf


def renewal_within_budget(
    s: Situation, suite: Suite, why: str, *, urgent: bool = False
) -> Proposal | None:
    """Return a full renewal where the budget affords those, else a ratchet; None: not even one.

    The few bytes of an urgent or overdue ratchet wait for no credit.
    """
    hard = f"under attack{s.attack_text}" if s.response and s.response.ratchets else ""
    every_s = _full_every_s(s, suite)
    saved = saved_bytes(s)
    taken = every_s > 0.0 and (airtime.fetching(s) is not None or saved > 0.0)
    if every_s <= s.config.renew_max_s and not (taken or hard):
        if airtime.affords(s, airtime.rekey_bytes(s, suite)):
            return Proposal(Action.REKEY, f"{why}.", suite.id)
        if not (urgent or _overdue(s)):
            return None
    if not (urgent or _overdue(s) or _affords_ratchet(s, saved)):
        return None
    saves = "the budget of airtime is saved for a layer"
    reason = hard or (saves if taken else "a full rekey takes more than the budget of airtime")
    why = f"{why}; {reason}: by a ratchet."
    return Proposal(Action.REKEY, why, suite.id, ratchet=not last_epoch(s))


def _affords_ratchet(s: Situation, saved: float) -> bool:
    """Return whether the credit is enough for a ratchet, with what is `saved` for a layer.

    While that is not there yet, ratchets slow it by a tenth at most.
    """
    if airtime.affords(s, RATCHET_BYTES + saved):
        return True
    grown = airtime.budget_bytes_s(s) * (s.age_s(s.state.keys_since_s) or 0.0)
    return airtime.affords(s, RATCHET_BYTES) and _SHARE_OF_SAVED * grown >= RATCHET_BYTES


def _overdue(s: Situation) -> bool:
    """Return whether the keys get too old unless they are renewed now."""
    most_s = s.config.renew_max_s - _LEAD_S - stagger_s(s.config)
    return (s.age_s(s.state.keys_since_s) or 0.0) >= most_s


def _calm(s: Situation) -> bool:
    lasted_s = s.since_switch_s("stable")
    return lasted_s is not None and lasted_s >= min(s.config.persistence_s, s.config.renew_min_s)


def _awaits(s: Situation) -> Iterator[str]:
    keys_s = s.age_s(s.state.keys_since_s)
    if not _calm(s):
        yield f"fresh keys after {s.config.persistence_s:g} s of a good link"
    elif keys_s is not None and renewable(s) is not None:
        left_s = max(s.config.renew_min_s - keys_s, 0.0)
        yield f"fresh keys in {left_s:.0f} s, or as soon as the budget of airtime affords them"


@rule(
    "session",
    numbers=("renew_min_s", "renew_max_s", "airtime_budget"),
    awaits=_awaits,
)
def renew(s: Situation) -> Proposal | None:
    """Renew the keys as often as the budget of airtime affords."""
    suite, keys_s = renewable(s), s.age_s(s.state.keys_since_s)
    if suite is None or keys_s is None or keys_s < s.config.renew_min_s:
        return None
    if not s.phase_renews and keys_s < s.config.phase_wait_s:
        return None
    why = f"The keys are {keys_s:.0f} s old"
    if "link" not in s.known:
        # Whoever holds reports back must not keep fresh keys away.
        if not _overdue(s) or last_epoch(s):
            return None
        return Proposal(
            Action.REKEY, f"{why}; the link is unknown: by a ratchet.", suite.id, ratchet=True
        )
    return renewal_within_budget(s, suite, why) if _calm(s) else None
