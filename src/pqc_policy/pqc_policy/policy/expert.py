# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The expert strategy: guards take suites out of the choice, then a lookup chooses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum

from pqc_policy.policy import rows
from pqc_policy.policy.decision import Action, Proposal, Removal
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import SignatureFamily, Suite, find_suite


class Handshake(IntEnum):
    """How long a suite's handshake is predicted to take, as a class."""

    FAST = 0
    MEDIUM = 1
    SLOW = 2


Keep = Callable[[Suite], bool]


@dataclass(frozen=True)
class _Choice:
    posture: str
    why: str
    target: Suite


def handshake_class(s: Situation, suite: Suite) -> Handshake:
    """Return the class of a suite's predicted handshake."""
    handshake_s = s.profile.cost(suite).handshake_s
    if handshake_s <= s.config.expert.fast_handshake_s:
        return Handshake.FAST
    if handshake_s <= s.config.expert.medium_handshake_s:
        return Handshake.MEDIUM
    return Handshake.SLOW


def choose(s: Situation) -> Proposal | None:
    """Look the best suite up among those that every guard lets through."""
    if s.current is None:
        return None
    left, removed = _guarded(s, s.current)
    if not left:
        return Proposal(Action.HOLD, "expert", "Nothing else may be chosen.", removed=removed)
    choice = _lookup(s, left)
    if choice.target == s.current:
        renewal = rows.rekey(s)
        if renewal is not None:
            return replace(renewal, removed=removed)
        return Proposal(
            Action.HOLD, choice.posture, f"{choice.why}: it is in use already.", removed=removed
        )
    lighter = s.ladder.lighter(choice.target, s.current)
    return Proposal(
        Action.DOWN if lighter else Action.UPGRADE,
        choice.posture,
        f"{choice.why}.",
        target=choice.target.id,
        removed=removed,
    )


def _guarded(s: Situation, current: Suite) -> tuple[list[Suite], tuple[Removal, ...]]:
    """Return what the guards let through, and what each took away."""
    left = list(s.ladder.choices(s.barred))
    removed: list[Removal] = []
    # While anything presses, and in the air, suites only get lighter.
    if not _may_rise(s):
        kept = [suite for suite in left if not s.ladder.lighter(current, suite)]
        removed.append(Removal("no_heavier", len(left) - len(kept)))
        left = kept
    fast = _at_most(s, Handshake.FAST)
    medium = _at_most(s, Handshake.MEDIUM)
    guards = s.state.guards
    firing: tuple[tuple[str, int, Keep], ...] = (
        ("thermal", guards.thermal, fast if guards.thermal > 1 else medium),
        ("battery", guards.battery, fast if guards.battery > 1 else medium),
        ("link", guards.link, fast),
        ("advisor", guards.advisor, fast),
    )
    for name, level, keep in firing:
        if not level:
            continue
        kept = [suite for suite in left if keep(suite)]
        # A guard that would leave nothing takes nothing.
        removed.append(Removal(name, len(left) - len(kept) if kept else 0))
        left = kept or left
    return left, tuple(removed)


def _may_rise(s: Situation) -> bool:
    calm_s = s.since_switch_s(s.state.calm_since_s)
    return (
        s.disarmed
        and not s.state.guards.fired
        and calm_s is not None
        and calm_s >= s.config.upgrade_stable_s
    )


def _at_most(s: Situation, limit: Handshake) -> Keep:
    return lambda suite: handshake_class(s, suite) <= limit


def _lookup(s: Situation, left: list[Suite]) -> _Choice:
    guards = s.state.guards
    if guards.link or guards.advisor:
        posture = "advisor" if guards.advisor else "link"
        what = "Under attack" if guards.advisor else "Bad link"
        return _Choice(
            posture, f"{what}: the fastest handshake at the highest level", _fastest(s, left)
        )
    if guards.thermal:
        return _Choice(
            "thermal", "Hot: the light suite", _listed(s, left, s.config.expert.hot_suite)
        )
    if guards.battery:
        return _Choice("battery", "Battery low: the lowest measured power", _most_frugal(s, left))
    balanced = s.config.expert.balanced_suite
    return _Choice("balanced", "Nominal: the balanced suite", _listed(s, left, balanced))


def _fastest(s: Situation, left: list[Suite]) -> Suite:
    """Return the fastest of the highest level; within a class published standards come first.

    Handshakes of one class differ by less than the round trips they need.
    """
    level = max(suite.level for suite in left)
    return min(
        (suite for suite in left if suite.level == level),
        key=lambda suite: (
            handshake_class(s, suite),
            suite.signature_family is not SignatureFamily.ML_DSA,
            s.profile.cost(suite).handshake_s,
            s.ladder.weight(suite),
        ),
    )


def _most_frugal(s: Situation, left: list[Suite]) -> Suite:
    """Return the suite of the lowest measured power; the lightest if none was measured."""
    measured = [
        (power_w, s.ladder.weight(suite), suite)
        for suite in left
        if (power_w := s.profile.cost(suite).power_w) is not None
    ]
    return min(measured, key=lambda entry: entry[:2])[2] if measured else left[0]


def _listed(s: Situation, left: list[Suite], suite_id: str) -> Suite:
    """Return the configured suite, else the heaviest that is lighter, else the lightest."""
    wanted = find_suite(suite_id)
    if wanted is None or wanted in left:
        return wanted if wanted is not None else left[0]
    lighter = [suite for suite in left if s.ladder.lighter(suite, wanted)]
    return lighter[-1] if lighter else left[0]
