# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The expert strategy: its active rules exclude suites, then one of the others is chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from math import inf

from pqc_policy.policy import rules
from pqc_policy.policy.decision import Action, Proposal, Removal
from pqc_policy.policy.needs import needs, needs_of
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
    """Return the class of a suite's predicted handshake, the work of both ends."""
    return _class_of(s, s.cost(suite).handshake_s)


def drone_class(s: Situation, suite: Suite) -> Handshake:
    """Return the class of what a handshake takes of the drone's time, and so of its energy."""
    return _class_of(s, s.cost(suite).drone_s)


def _class_of(s: Situation, time_s: float) -> Handshake:
    if time_s <= s.config.expert.fast_handshake_s:
        return Handshake.FAST
    return Handshake.MEDIUM if time_s <= s.config.expert.medium_handshake_s else Handshake.SLOW


@needs("session")
def choose(s: Situation) -> Proposal | None:
    """Propose the best of the suites that no active rule excludes."""
    if s.current is None:
        return None
    left, removed = _not_excluded(s, s.current)
    if not left:
        return Proposal(Action.HOLD, "expert", "No other suite may be chosen.", removed=removed)
    choice = _best(s, left)
    # A heavier suite needs every input; to renew keys the rule's own are enough.
    incomplete = rules.safety(s)
    if choice.target == s.current:
        able = not needs_of(rules.rekey).lacking(s.known, s.config.required_inputs)
        renewal = (_fresh_keys(s, choice.target) or rules.rekey(s)) if able else None
        renewal = renewal or incomplete
        if renewal is not None:
            return replace(renewal, removed=removed)
        return Proposal(
            Action.HOLD, choice.rule, f"{choice.why}, which is in use already.", removed=removed
        )
    lighter = s.order.lighter(choice.target, s.current)
    if incomplete is not None and not lighter:
        return replace(incomplete, removed=removed)
    return Proposal(
        Action.DOWN if lighter else Action.UPGRADE,
        choice.rule,
        f"{choice.why}.",
        target=choice.target.id,
        removed=removed,
    )


def _fresh_keys(s: Situation, suite: Suite) -> Proposal | None:
    """Renew keys that are older than the attack that the advisor tells of."""
    since_s = s.state.levels.advisor_since_s
    renewed_s = (s.state.keys_since_s, *s.state.rekeys_s[-1:])
    if since_s is None or any(at_s is not None and at_s >= since_s for at_s in renewed_s):
        return None
    why = "Under attack: fresh keys at once, for the fastest handshake is that of the suite in use."
    return Proposal(Action.REKEY, "advisor", why, target=suite.id)


def _not_excluded(s: Situation, current: Suite) -> tuple[list[Suite], tuple[Removal, ...]]:
    """Return the suites that no active rule excludes, and how many each rule excludes."""
    left = list(s.order.choices(s.barred))
    removed: list[Removal] = []
    # Suites only get lighter while any rule is active and in the air.
    if not _may_rise(s):
        kept = [suite for suite in left if not s.order.lighter(current, suite)]
        removed.append(Removal("no_heavier", len(left) - len(kept)))
        left = kept
    levels = s.state.levels

    def frugal(level: int) -> Keep:
        limit = Handshake.FAST if level > 1 else Handshake.MEDIUM
        return lambda suite: drone_class(s, suite) <= limit

    def fast(suite: Suite) -> bool:
        return handshake_class(s, suite) is Handshake.FAST

    exclusions: tuple[tuple[str, int, Keep], ...] = (
        ("thermal", levels.thermal, frugal(levels.thermal)),
        ("battery", levels.battery, frugal(levels.battery)),
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
        return _most_frugal(s, left)
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
            s.cost(suite).handshake_s,
            s.order.weight(suite),
        ),
    )


def _most_frugal(s: Situation, left: list[Suite]) -> _Choice:
    """Choose the suite of the lowest measured power, unless the suite in use does as well.

    Differences below the uncertainty of the measurement are none.
    """
    power = {suite: w for suite in left if (w := s.cost(suite).power_w) is not None}
    current = s.current if s.current in left else None
    if not power:
        why = "Battery low, and no suite was measured to take less power: stay"
        return _Choice("battery", why, current or left[0])
    least_w, error_w = min(power.values()), s.profile.power_error_w
    if current is not None and power.get(current, inf) <= least_w + error_w:
        why = f"Battery low, and no suite takes less power by more than {error_w:g} W: stay"
        return _Choice("battery", why, current)
    frugal = min(power, key=lambda suite: (power[suite], s.order.weight(suite)))
    return _Choice("battery", "Battery low: the lowest measured power", frugal)


def _configured(s: Situation, left: list[Suite], suite_id: str) -> Suite:
    """Return the configured suite, else the heaviest that is lighter, else the lightest."""
    wanted = find_suite(suite_id)
    if wanted is None or wanted in left:
        return wanted if wanted is not None else left[0]
    lighter = [suite for suite in left if s.order.lighter(suite, wanted)]
    return lighter[-1] if lighter else left[0]
