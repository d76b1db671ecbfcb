# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The strategy of the seeds 003 and 004: exclusions filter suites, then a lookup chooses one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from math import inf

from pqc_policy.policy import guards
from pqc_policy.policy.config import ExpertConfig, PolicyConfig
from pqc_policy.policy.decision import Action, Proposal, Removal
from pqc_policy.policy.profile import Cost
from pqc_policy.policy.rule import rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.strategies.strategy import Strategy
from pqc_policy.policy.suite_order import grade_of
from pqc_policy.policy.suites import SignatureFamily, Suite, find_suite
from pqc_policy.policy.wishes.attack import after_event, attack
from pqc_policy.policy.wishes.fleet import fleet
from pqc_policy.policy.wishes.rekey import rekey
from pqc_policy.policy.wishes.renewal import interval_s


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
    why_stay: str = ""  # where the target is in use already; empty: for the same reason

    @property
    def stay(self) -> str:
        return self.why_stay or f"{self.why}, which is in use already"


def handshake_class(s: Situation, suite: Suite) -> Handshake:
    """Return the class of a suite's predicted handshake, the work of both ends."""
    return _class_of(s.config.expert, s.cost(suite).handshake_s)


def drone_class(s: Situation, suite: Suite) -> Handshake:
    """Return the class of what a handshake takes of the drone's time, and so of its energy."""
    return _class_of(s.config.expert, s.cost(suite).drone_s)


def _class_of(limits: ExpertConfig, time_s: float) -> Handshake:
    if time_s <= limits.fast_handshake_s:
        return Handshake.FAST
    return Handshake.MEDIUM if time_s <= limits.medium_handshake_s else Handshake.SLOW


@rule(
    "session",
    numbers=(
        *("expert.balanced_suite", "expert.hot_suite", "expert.warm_c", "expert.hot_c"),
        *("expert.charge_low", "expert.loss_high", "expert.rtt_high_s"),
    ),
)
def choose(s: Situation) -> Proposal | None:
    """Choose the best of the suites that no active exclusion takes away."""
    if s.current is None:
        return None
    left, removed = _not_excluded(s, s.current)
    if not left:
        return Proposal(Action.HOLD, "No other suite may be chosen.", removed=removed)
    choice = _best(s, left)
    # A heavier suite needs every input.
    incomplete = guards.safety(s)
    if choice.target == s.current:
        helpless = s.response is not None and not s.response.lighter
        hold = incomplete or (guards.endure(s) if helpless else None)
        hold = hold or Proposal(Action.HOLD, f"{choice.stay}.", rule=choice.rule)
        return replace(hold, removed=removed, yields=True)
    lighter = s.order.lighter(choice.target, s.current)
    if incomplete is not None and not lighter:
        return replace(incomplete, removed=removed)
    return Proposal(
        Action.DOWN if lighter else Action.UPGRADE,
        f"{choice.why}.",
        target=choice.target.id,
        rule=choice.rule,
        removed=removed,
    )


def _awaits(s: Situation) -> Iterator[str]:
    if s.state.levels.link:
        yield "ratchets until the link is clearly good"


@rule("session", "link", awaits=_awaits)
def link(s: Situation) -> Proposal | None:
    """Make fresh keys by a ratchet when the link becomes bad and the best suite is in use."""
    since_s = s.state.levels.link_since_s
    if not s.state.levels.link or since_s is None:
        return None
    why = "Bad link: fresh keys at once by a ratchet, the fastest renewal at this level"
    return after_event(s, "link", since_s, why, ratchet=True)


def _not_excluded(s: Situation, current: Suite) -> tuple[list[Suite], tuple[Removal, ...]]:
    """Return the suites that no active exclusion excludes, and how many each takes away."""
    left = list(s.order.choices(s.barred))
    removed: list[Removal] = []
    # Suites only get lighter while any exclusion is active and in the air.
    if not _may_rise(s):
        kept = left[: bisect_right(left, s.order.weight(current), key=s.order.weight)]
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
        ("advisor", int(levels.advisor > 1), fast),
    )
    for name, level, keep in exclusions:
        if not level:
            continue
        kept = [suite for suite in left if keep(suite)]
        # An exclusion that would exclude every suite excludes none.
        removed.append(Removal(name, len(left) - len(kept) if kept else 0))
        left = kept or left
    return left, tuple(removed)


def _may_rise(s: Situation) -> bool:
    calm_s = s.since_switch_s("calm")
    return (
        s.disarmed
        and not s.state.levels.active
        and calm_s is not None
        and calm_s >= s.config.upgrade_stable_s
    )


def _best(s: Situation, left: list[Suite]) -> _Choice:
    levels = s.state.levels
    attacked = levels.advisor > 1
    if levels.link or attacked:
        name = "advisor" if attacked else "link"
        what = f"Under attack{s.attack_text}" if attacked else "Bad link"
        return _Choice(
            name, f"{what}: the fastest handshake at the highest level", _fastest(s, left)
        )
    if levels.thermal:
        return _configured(s, left, "thermal", "Hot: the light suite", s.config.expert.hot_suite)
    if levels.battery:
        return _most_frugal(s, left)
    balanced = s.config.expert.balanced_suite
    return _configured(s, left, "balanced", "Nominal: the balanced suite", balanced)


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
    """Choose a suite of the lowest power, unless the suite in use does as well.

    That is the drone's marginal power where it was measured, else the measured power of its
    computer. Differences below the uncertainty of the measurement are none: of equal suites the
    highest level counts, then published standards, then the order.
    """
    power = powers(s.cost, s.config, left)
    current = s.current if s.current in left else None
    if not power:
        why = "Battery low, and no suite was measured to take less power"
        target = current or left[0]
        return _Choice("battery", f"{why}: the lightest", target, f"{why}: {target.id} stays")
    most_w, error_w = min(power.values()) + s.profile.power_error_w, s.profile.power_error_w
    if current is not None and power.get(current, inf) <= most_w:
        why = f"Battery low, and no suite takes less power by more than {error_w:g} W"
        return _Choice("battery", why, current, f"{why}: {current.id} stays")
    frugal = min(
        (suite for suite, power_w in power.items() if power_w <= most_w),
        key=lambda suite: (-suite.level, suite.experimental, s.order.weight(suite)),
    )
    why = f"Battery low: {power[frugal]:g} W, the lowest power that was measured"
    return _Choice("battery", f"{why} within {error_w:g} W", frugal)


def powers(
    cost_of: Callable[[Suite], Cost], config: PolicyConfig, suites: Iterable[Suite]
) -> Mapping[Suite, float]:
    """Return the power (W) of each suite: the drone's marginal one, or its computer's.

    A suite whose power was not measured is left out.
    """
    costs = {suite: cost_of(suite) for suite in suites}
    marginal = {
        suite: power_w
        for suite, cost in costs.items()
        if (power_w := cost.marginal_w(interval_s(config, suite))) is not None
    }
    return marginal or {
        suite: cost.power_w for suite, cost in costs.items() if cost.power_w is not None
    }


def _configured(s: Situation, left: list[Suite], name: str, what: str, suite_id: str) -> _Choice:
    """Choose the configured suite; if it is excluded, the nearest, unless the one in use does."""
    wanted = find_suite(suite_id)
    if wanted is None or wanted in left:
        return _Choice(name, what, wanted if wanted is not None else left[0])
    target = s.order.nearest(wanted, left)
    if s.current in left and s.current is not None:
        # Heavier ones are excluded while armed: then the suite in use is the nearest.
        raised = s.order.lighter(s.current, target)
        equal = grade_of(s.current) == grade_of(target)
        if equal or (s.order.lighter(s.current, wanted) and not raised):
            target = s.current
    if not s.order.may_choose(wanted, s.barred):
        why = "may not be chosen now"
    elif s.current is not None and s.order.lighter(s.current, wanted) and not _may_rise(s):
        why = "is heavier and needs a disarmed drone and calm"
    else:
        why = "is excluded"
    why = f"{what}, {wanted.id}, {why}; {target.id}"
    return _Choice(name, f"{why} is the nearest", target, f"{why} stays")


EXPERT = Strategy((choose, attack, link, fleet, rekey))
