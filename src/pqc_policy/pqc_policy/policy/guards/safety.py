# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The guard of missing inputs; it comes after the wishes, each of which knows what it needs."""

from __future__ import annotations

from collections.abc import Iterator

from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.inputs import INPUTS, Freshness
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.wording import apart

SAFETY = "safety"


def unusable(s: Situation, name: str) -> str:
    """Return why an input can't be used, as a sentence; empty if it can."""
    reading, noun = getattr(s.inputs, name), INPUTS[name].noun
    freshness = reading.freshness(s.config.stale_s)
    if freshness is Freshness.MISSING:
        return f"No {noun} has been received."
    if freshness is Freshness.STALE:
        age, limit = apart(reading.age_s, s.config.stale_s, 1)
        return f"The newest {noun} is {age} s old, more than {limit} s."
    return ""


def no_suite(s: Situation) -> str:
    suite = s.session.suite if s.session is not None else ""
    return f"The suite in use, {suite}, is unknown." if suite else "There is no session."


def _awaits(s: Situation) -> Iterator[str]:
    needed = [
        f"a new {INPUTS[name].noun}" for name in s.missing if name != "session" or s.session is None
    ]
    if not needed and s.current is None:
        needed = ["a session"]
    if needed:
        yield f"every rule acts again after {', '.join(needed)}"


@rule(numbers=("stale_s",), awaits=_awaits)
def safety(s: Situation) -> Proposal | None:
    """Hold while a required input is missing, stale or empty, or the suite in use is unknown."""
    if s.missing:
        return Proposal(Action.HOLD, " ".join(_why_unknown(s, name) for name in s.missing))
    return None if s.current is not None else Proposal(Action.HOLD, no_suite(s))


def _why_unknown(s: Situation, name: str) -> str:
    empty = INPUTS[name].empty
    return unusable(s, name) or (f"The newest {empty}." if empty else no_suite(s))
