# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The budget of airtime: what rekeys and fetches may take of the link.

Credit grows with the time, at `airtime_budget` of the link's rate, from that of some seconds up to
that of rekey_window_s. A fetch, which the tunnel paces, takes all that grows meanwhile. A link
whose rate nobody knows is taken for one that does not feel a rekey.
"""

from __future__ import annotations

from math import inf

from pqc_policy.policy.decision import Proposal
from pqc_policy.policy.inputs import known
from pqc_policy.policy.protection import ONE_TIME_BYTES, RATCHET_BYTES, Fetch
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import Suite, find_suite

_FIRST_S = 2.0  # whose credit is there once the rate is known, about as long as that takes


def budget_bytes_s(s: Situation) -> float:
    """Return what rekeys may take of the link in bytes/s; infinite where its rate is unknown."""
    rate = known(s.link.rate_bytes_s) if s.link is not None else None
    return s.config.airtime_budget * rate if rate else inf


def credit_bytes(s: Situation, passed_s: float) -> float | None:
    """Return the credit after some seconds; None as long as the rate was never known."""
    budget, credit = budget_bytes_s(s), s.state.credit_bytes
    if budget == inf:
        return None if credit is None else max(credit, 0.0)
    if credit is None:
        return budget * _FIRST_S
    grown = 0.0 if fetching(s) is not None else budget * passed_s
    return min(credit + grown, budget * s.config.rekey_window_s)


def _credit(s: Situation) -> float:
    return s.state.credit_bytes or 0.0


def affords(s: Situation, size: float) -> bool:
    """Return whether the credit is enough for so many bytes."""
    return budget_bytes_s(s) == inf or _credit(s) >= size


def saves_for(s: Situation, size: float) -> bool:
    """Return whether the credit can ever be enough for so many bytes."""
    return size <= budget_bytes_s(s) * s.config.rekey_window_s


def wait_s(s: Situation, size: float) -> float:
    """Return how long it takes until the credit is enough for so many bytes."""
    lacking = size - _credit(s)
    budget = budget_bytes_s(s)
    return 0.0 if budget == inf or lacking <= 0.0 else lacking / budget if budget else inf


def fetch_of(s: Situation, suite: Suite | None) -> Fetch | None:
    """Return what the tunnel says of the key of a suite; None if it says nothing.

    It may name another suite of the same KEM, whose key is the same but for the signature.
    """
    fetches = s.session.fetches if s.session is not None and suite is not None else ()
    same = None
    for one in fetches:
        named = find_suite(one.suite)
        if named is not None and suite is not None and named.kem == suite.kem:
            if named.signature == suite.signature:
                return one
            same = same or one
    return same


def fetching(s: Situation) -> Fetch | None:
    fetches = s.session.fetches if s.session is not None else ()
    return next((one for one in fetches if one.progress is not None and not one.ready), None)


def whole_bytes(s: Situation, suite: Suite) -> float:
    """Return the bytes of a full rekey on this link, with the fetch of its key.

    Where the tunnel does not say, it is the prediction of the profile.
    """
    told = fetch_of(s, suite)
    return s.cost(suite).rekey_bytes if told is None else float(told.rekey_bytes + told.fetch_bytes)


def rekey_bytes(s: Situation, suite: Suite) -> float:
    """Return what a full rekey takes of the credit: a fetch has taken its own."""
    told = fetch_of(s, suite)
    return whole_bytes(s, suite) if told is None else float(told.rekey_bytes)


def bytes_of(s: Situation, proposal: Proposal) -> float:
    if budget_bytes_s(s) == inf:
        return 0.0
    if proposal.ratchet:
        return ONE_TIME_BYTES if proposal.one_time_key else RATCHET_BYTES
    suite = find_suite(proposal.target or "")
    if suite is None:
        return 0.0
    # A key that is not there comes at once, beside the budget.
    told = fetch_of(s, suite)
    return rekey_bytes(s, suite) if told is not None and told.ready else whole_bytes(s, suite)


def patience_s(s: Situation, target: str) -> float:
    """Return for how long a requested rekey may be under way until it counts as failed."""
    told = fetch_of(s, find_suite(target))
    slow_s = (told.rekey_s if told is not None else None) or 0.0
    return max(s.config.pending_s, 2.0 * slow_s)
