# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The order of the allowed suites by weight, and one step down or up in it.

A grade is a KEM family at a security level. A step down leads to the next lighter grade with a
usable suite: through the families of a level first, then to the next lower level without returning
to a heavier family. A step up is the reverse.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache

from pqc_policy.policy.config import Allowed
from pqc_policy.policy.profile import Profile
from pqc_policy.policy.suites import FAMILIES_BY_WEIGHT, SUITES, Suite

_STEPS_KEPT = 256
Grade = tuple[int, int]
Weight = tuple[int, float, str]
Unlikeness = tuple[bool, bool, Weight]


def grade_of(suite: Suite) -> Grade:
    """Return the grade of a suite; a lighter grade is smaller."""
    return suite.level, FAMILIES_BY_WEIGHT.index(suite.family)


class SuiteOrder:
    """The allowed suites whose switch interrupts the link briefly enough, lightest first."""

    def __init__(self, allowed: Allowed, profile: Profile, max_interruption_s: float) -> None:
        self.profile = profile
        self._weights: dict[str, Weight] = {
            suite.id: (suite.tier, profile.cost(suite).handshake_s, suite.id) for suite in SUITES
        }
        self.allowed = tuple(sorted(filter(allowed.allows, SUITES), key=self.weight))
        self.usable = tuple(
            suite
            for suite in self.allowed
            if profile.cost(suite).interruption_s <= max_interruption_s
        )
        self._usable_ids = frozenset(suite.id for suite in self.usable)
        # A flight asks for the same steps each second.
        self._choices = lru_cache(_STEPS_KEPT)(self._find_choices)
        self._alike = lru_cache(_STEPS_KEPT)(self._find_alike)
        self._down = lru_cache(_STEPS_KEPT)(self._find_down)
        self._up = lru_cache(_STEPS_KEPT)(self._find_up)

    def weight(self, suite: Suite) -> Weight:
        """Return the sorting key: tier, then predicted handshake, then id."""
        return self._weights[suite.id]

    def lighter(self, one: Suite, other: Suite) -> bool:
        """Return whether one suite is strictly lighter than another."""
        return self.weight(one) < self.weight(other)

    def may_choose(self, suite: Suite, barred: Collection[str]) -> bool:
        return suite.id in self._usable_ids and suite.id not in barred

    def choices(self, barred: Collection[str]) -> tuple[Suite, ...]:
        """Return the suites that a decision may lead to, lightest first."""
        return self._choices(frozenset(barred))

    def _find_choices(self, barred: frozenset[str]) -> tuple[Suite, ...]:
        return tuple(suite for suite in self.usable if suite.id not in barred)

    def alike(self, like: Suite, barred: Collection[str]) -> tuple[Suite, ...]:
        """Return the choices of the level, cipher and signature of a suite, lightest first."""
        return self._alike(like, frozenset(barred))

    def _find_alike(self, like: Suite, barred: frozenset[str]) -> tuple[Suite, ...]:
        return tuple(
            suite
            for suite in self.choices(barred)
            if (suite.level, suite.aead, suite.signature_family)
            == (like.level, like.aead, like.signature_family)
        )

    def lightest(self, barred: Collection[str]) -> Suite | None:
        return next(iter(self.choices(barred)), None)

    def down(self, start: Suite, barred: Collection[str]) -> Suite | None:
        """Return the suite one step lighter; None if there is none.

        Signature family and AEAD stay if they can. A heavier KEM family is chosen only if no other
        is left.
        """
        return self._down(start, frozenset(barred))

    def _find_down(self, start: Suite, barred: frozenset[str]) -> Suite | None:
        at = grade_of(start)
        below = [suite for suite in self.choices(barred) if self.lighter(suite, start)]
        lower = [suite for suite in below if grade_of(suite) < at]
        lower = [suite for suite in lower if grade_of(suite)[1] <= at[1]] or lower
        if lower:
            return self._nearest(lower, max(map(grade_of, lower)), start)
        # Only the lightest suite of the lowest grade is left.
        return below[0] if below else None

    def up(self, start: Suite, ceiling: Suite, barred: Collection[str]) -> Suite | None:
        """Return the suite one step heavier, at most the ceiling; None if there is none.

        Signature family and AEAD are the ceiling's if they can be. KEM families that are heavier
        than both that of the start and that of the ceiling are skipped.
        """
        return self._up(start, ceiling, frozenset(barred))

    def _find_up(self, start: Suite, ceiling: Suite, barred: frozenset[str]) -> Suite | None:
        at = grade_of(start)
        heaviest_family = max(at[1], grade_of(ceiling)[1])
        above = [
            suite
            for suite in self.choices(barred)
            if self.lighter(start, suite)
            and not self.lighter(ceiling, suite)
            and grade_of(suite)[1] <= heaviest_family
        ]
        higher = [suite for suite in above if grade_of(suite) > at]
        if higher:
            return self._nearest(higher, min(map(grade_of, higher)), ceiling)
        return ceiling if ceiling in above else None

    def nearest(self, wanted: Suite, left: Collection[Suite]) -> Suite:
        """Return the suite of these that takes another one's place: one step lighter if it can.

        `left` may not be empty. Where all are heavier it is one of the lightest grade.
        """
        barred = {suite.id for suite in self.usable} - {suite.id for suite in left}
        lighter = self.down(wanted, barred)
        if lighter is not None:
            return lighter
        return self._nearest(left, min(map(grade_of, left)), wanted)

    def _nearest(self, suites: Iterable[Suite], grade: Grade, like: Suite) -> Suite:
        of_grade = [suite for suite in suites if grade_of(suite) == grade]
        return min(of_grade, key=lambda suite: self._unlikeness(suite, like))

    def _unlikeness(self, suite: Suite, like: Suite) -> Unlikeness:
        # Another cipher costs less in flight than another signature.
        other_signature = suite.signature_family is not like.signature_family
        return other_signature, suite.aead != like.aead, self.weight(suite)
