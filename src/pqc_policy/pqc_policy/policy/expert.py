# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The expert strategy: its active rules exclude suites, then one of the others is chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum

from pqc_policy.policy import rules
from pqc_policy.policy.decision import Action, Proposal, Removal
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import SignatureFamily, Suite, find_suite


class Handshake(IntEnum):
    """Class of the predicted time of a suite's handshake."""

    FAST = 0
    MEDIUM = 1
    SLOW = 2


Keep = Callable[[Suite], bool]


@dataclass(frozen=True)
class _Choice:
    rule: str
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
    """Propose the best of the suites that no active rule excludes."""
    if s.current is None:
        return None
    left, removed = _not_excluded(s, s.current)
    if not left:
        return Proposal(Action.HOLD, "expert", "No other suite may be chosen.", removed=removed)
    choice = _best(s, left)
    incomplete = rules.safety(s)
    if incomplete is not None and not s.order.lighter(choice.target, s.current):
        return replace(incomplete, removed=removed)
    if choice.target == s.current:
        renewal = rules.rekey(s)
        if renewal is not None:
            return replace(renewal, removed=removed)
        return Proposal(
            Action.HOLD, choice.rule, f"{choice.why}, which is in use already.", removed=removed
        )
    lighter = s.order.lighter(choice.target, s.current)
    return Proposal(
        Action.DOWN if lighter else Action.UPGRADE,
        choice.rule,
        f"{choice.why}.",
        target=choice.target.id,
        removed=removed,
    )


def _not_excluded(s: Situation, current: Suite) -> tuple[list[Suite], tuple[Removal, ...]]:
    """Return the suites that no active rule excludes, and how many each rule excludes."""
    left = list(s.order.choices(s.barred))
    removed: list[Removal] = []
    # Suites only get lighter while any rule is active and in the air.
    if not _may_rise(s):
        kept = [suite for suite in left if not s.order.lighter(current, suite)]
        removed.append(Removal("no_heavier", len(left) - len(kept)))
        left = kept
    fast = _at_most(s, Handshake.FAST)
    medium = _at_most(s, Handshake.MEDIUM)
    levels = s.state.levels
    exclusions: tuple[tuple[str, int, Keep], ...] = (
        ("thermal", levels.thermal, fast if levels.thermal > 1 else medium),
        ("battery", levels.battery, fast if levels.battery > 1 else medium),
        ("link", levels.link, fast),
        ("advisor", levels.advisor, fast),
    )
    for rule, level, keep in exclusions:
        if not level:
            continue
        kept = [suite for suite in left if keep(suite)]
        # A rule that would exclude every suite excludes none.
        removed.append(Removal(rule, len(left) - len(kept) if kept else 0))
        left = kept or left
    return left, tuple(removed)


def _may_rise(s: Situation) -> bool:
    calm_s = s.since_switch_s(s.state.calm_since_s)
    return (
        s.disarmed
        and not s.state.levels.active
        and calm_s is not None
        and calm_s >= s.config.upgrade_stable_s
    )


def _at_most(s: Situation, limit: Handshake) -> Keep:
    return lambda suite: handshake_class(s, suite) <= limit


def _best(s: Situation, left: list[Suite]) -> _Choice:
    levels = s.state.levels
    if levels.link or levels.advisor:
        rule = "advisor" if levels.advisor else "link"
        what = "Under attack" if levels.advisor else "Bad link"
        return _Choice(
            rule, f"{what}: the fastest handshake at the highest level", _fastest(s, left)
        )
    if levels.thermal:
        return _Choice(
            "thermal", "Hot: the light suite", _configured(s, left, s.config.expert.hot_suite)
        )
    if levels.battery:
        return _Choice("battery", "Battery low: the lowest measured power", _most_frugal(s, left))
    balanced = s.config.expert.balanced_suite
    return _Choice("balanced", "Nominal: the balanced suite", _configured(s, left, balanced))


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
            s.order.weight(suite),
        ),
    )


def _most_frugal(s: Situation, left: list[Suite]) -> Suite:
    """Return the suite of the lowest measured power; the lightest if none was measured."""
    measured = [
        (power_w, s.order.weight(suite), suite)
        for suite in left
        if (power_w := s.profile.cost(suite).power_w) is not None
    ]
    return min(measured, key=lambda entry: entry[:2])[2] if measured else left[0]


def _configured(s: Situation, left: list[Suite], suite_id: str) -> Suite:
    """Return the configured suite, else the heaviest that is lighter, else the lightest."""
    wanted = find_suite(suite_id)
    if wanted is None or wanted in left:
        return wanted if wanted is not None else left[0]
    lighter = [suite for suite in left if s.order.lighter(suite, wanted)]
    return lighter[-1] if lighter else left[0]
