# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The next layer: another KEM's secret in the chain of keys, as link and computer afford it."""

from __future__ import annotations

from collections.abc import Iterator

from pqc_policy.policy import airtime
from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.protection import FORMS, ONE_TIME_BYTES
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.wishes.home import home
from pqc_policy.policy.wishes.ways import Way, missing, strained

_AGAIN_S = 10.0  # until a fetch that shows no progress is asked for again


def proposal_of(s: Situation, ways: list[Way], why: str) -> Proposal | None:
    """Return the rekey of the first way whose key is there, else the wish for a fetch."""
    if s.link_bad or s.current is None or home(s) != s.current:
        return None
    calm = not strained(s)
    for way in ways:
        told = f"{why} {_named(way.form)}"
        if way.one_time:  # so few bytes wait for no credit
            key = f"{told}: by a one-time key of the anchor, in {ONE_TIME_BYTES} bytes."
            return Proposal(Action.REKEY, key, way.suite.id, ratchet=True, one_time_key=True)
        if calm and (proposal := _by_fetch(s, way, told)) is not None:
            return proposal
    return None


def _by_fetch(s: Situation, way: Way, told: str) -> Proposal | None:
    suite, cost = way.suite, airtime.fetch_of(s, way.suite)
    if cost is None:
        return None
    if way.ready:
        if not s.phase_renews:
            return None
        if not airtime.affords(s, cost.rekey_bytes):
            return _alone(f"{told}: airtime is saved for the rekey to {suite.kem_name}.")
        action = Action.REKEY if suite == s.current else Action.LAYER
        return Proposal(action, f"{told}: the key of {suite.kem_name} is there.", suite.id)
    if cost.progress is not None:
        return _alone(f"{told}: the key of {suite.kem_name} is on its way.")
    asked_s, pending = s.age_s(s.state.fetch_asked_s), s.state.pending
    if asked_s is not None and asked_s < _AGAIN_S:
        return None
    if pending is not None and pending.target == suite.id:
        return None  # it has taken the key
    fetch = f"{told}: the key of {suite.kem_name} is fetched in the background."
    return Proposal(Action.HOLD, fetch, yields=True, prefetch=suite.id)


def _alone(why: str) -> Proposal:
    """Return the wish that no other fetch begins, which would take the airtime."""
    return Proposal(Action.HOLD, why, yields=True)


def awaits_ways(s: Situation, ways: list[Way], what: str) -> Iterator[str]:
    strain = strained(s)
    for way in ways[:1]:
        told = airtime.fetch_of(s, way.suite)
        done = told.progress if told is not None else None
        how = "a one-time key of the anchor" if way.one_time else way.suite.kem_name
        got = f", {done:.0%} of its key are there" if done is not None else ""
        when = f"waits: {strain}" if strain else f"in about {way.seconds:.0f} s"
        yield f"{what} {_named(way.form)} by {how}{got} {when}"


def _named(form: str) -> str:
    return f"{form.replace('_', '-')} {FORMS[form][0]}"


@rule(
    "session",
    "link",
    numbers=("layers", "airtime_budget"),
    awaits=lambda s: awaits_ways(s, missing(s), "a layer of"),
)
def layer(s: Situation) -> Proposal | None:
    """Add the next form that the chain of keys lacks, as the budget of airtime affords it."""
    return proposal_of(s, missing(s), "The chain lacks")
