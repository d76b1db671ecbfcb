# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The wish for fresh keys by their age."""

from __future__ import annotations

from collections.abc import Iterator

from pqc_policy.policy.decision import Proposal
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.wishes.renewal import interval_s, renewable, renewal
from pqc_policy.policy.wording import apart


def _awaits(s: Situation, intervals: float = 1.0) -> Iterator[str]:
    every_s = interval_s(s.config, s.current) if s.current is not None else None
    if s.current is None:
        return
    if every_s is None:
        yield f"keys of the family {s.current.family} are not renewed by their age"
        return
    at_s = due_s(s, intervals)
    if at_s is None:
        late = (s.age_s(s.state.keys_since_s) or 0.0) > s.config.latest_intervals * every_s
        calm_s = s.config.persistence_s if late else intervals * every_s
        yield f"fresh keys after {calm_s:g} s without a reason to act"
    elif s.now_s <= at_s:
        yield f"fresh keys in {at_s - s.now_s + 1:.0f} s if nothing else happens"
    elif (left_s := phase_wait_left_s(s, at_s)) >= 0.0:
        yield f"fresh keys in another phase, or in {left_s + 1:.0f} s"


@rule(
    "session",
    "link",
    numbers=(
        *("rekey_interval_s.ml_kem", "rekey_interval_s.mceliece", "rekey_airtime"),
        *("link_gap_s", "link_loss", "link_rtt_s"),
    ),
    awaits=_awaits,
)
def rekey(s: Situation) -> Proposal | None:
    """Make fresh keys for the same suite after the stable interval of its KEM family."""
    return _routine(s, 1.0)


def _overdue_awaits(s: Situation) -> Iterator[str]:
    yield from _awaits(s, s.config.latest_intervals)


@rule("session", "link", numbers=("latest_intervals",), awaits=_overdue_awaits)
def overdue(s: Situation) -> Proposal | None:
    """Make fresh keys after twice the interval, where an agent may put the routine off."""
    return _routine(s, s.config.latest_intervals)


def _routine(s: Situation, intervals: float) -> Proposal | None:
    suite, since_s, at_s = renewable(s), s.state.keys_since_s, due_s(s, intervals)
    every_s = interval_s(s.config, suite) if suite is not None else None
    if suite is None or every_s is None or since_s is None or at_s is None:
        return None
    if s.now_s <= at_s or phase_wait_left_s(s, at_s) >= 0.0:
        return None
    age, limit = apart(s.now_s - since_s, intervals * every_s, 0)
    return renewal(s, suite, f"Stable, and the keys are {age} s old, more than {limit} s")


def due_s(s: Situation, intervals: float) -> float | None:
    """Return the time after which a routine renewal is due, if all stays as it is now.

    Usually it must have been stable for the whole interval. Keys older than latest_intervals need a
    short calm only: whoever disturbs the link in each minute must not stop their renewal.
    """
    every_s = interval_s(s.config, s.current) if s.current is not None else None
    stable_since_s, keys_since_s = s.state.since.get("stable"), s.state.keys_since_s
    if every_s is None or stable_since_s is None or keys_since_s is None:
        return None
    calm_since_s = max(stable_since_s, s.state.switched_at_s or stable_since_s)
    limit_s = intervals * every_s
    made_s = max((keys_since_s, *s.state.rekeys_s[-1:]))
    usually_s = max(calm_since_s, made_s) + limit_s
    latest_s = keys_since_s + s.config.latest_intervals * every_s
    return min(usually_s, max(calm_since_s + s.config.persistence_s, made_s + limit_s, latest_s))


def phase_wait_left_s(s: Situation, at_s: float) -> float:
    """Return how much longer a renewal that is due since a time waits for another phase.

    Below zero: not at all. The wait begins anew with each phase that has no renewals.
    """
    if s.phase_renews:
        return -1.0
    return max(at_s, s.state.no_renewals_since_s or at_s) + s.config.phase_wait_s - s.now_s
