# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The order of the allowed suites by weight, and one step down or up in it.

A grade is a KEM family at a security level. A step down leads to the next lighter grade with a
usable suite: through the families of a level first, then to the next lower level without returning
to a heavier family. A step up is the reverse.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pqc_policy.policy.config import Allowed
from pqc_policy.policy.profile import Profile
from pqc_policy.policy.suites import FAMILIES_BY_WEIGHT, SUITES, Suite

# Keys made and signed ahead cost the ground, not the drone: what a signature costs in flight is its
# bytes, on the air with every prekey. A suite with more than so many times the least is costly.
_COSTLY = 2.5
Grade = tuple[int, int]
Weight = tuple[int, float, str]


def grade_of(suite: Suite) -> Grade:
    """Return the grade of a suite; a lighter grade is smaller."""
    return suite.level, FAMILIES_BY_WEIGHT.index(suite.family)


class SuiteOrder:
    """The allowed suites whose switch interrupts the link briefly enough, lightest first."""

    def __init__(
        self,
        allowed: Allowed,
        profile: Profile,
        max_interruption_s: float,
        *,
        by_signature_too: bool = True,
    ) -> None:
        """`by_signature_too`: whether a step leaves a signature that is costly in flight."""
        self.profile, self.max_interruption_s = profile, max_interruption_s
        self._by_signature_too = by_signature_too
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

    def weight(self, suite: Suite) -> Weight:
        """Return the sorting key: tier, then predicted handshake, then id."""
        return self._weights[suite.id]

    def lighter(self, one: Suite, other: Suite) -> bool:
        """Return whether one suite is strictly lighter than another."""
        return self.weight(one) < self.weight(other)

    def may_choose(self, suite: Suite, barred: Collection[str]) -> bool:
        """Return whether a decision may lead to this suite."""
        return suite.id in self._usable_ids and suite.id not in barred

    def choices(self, barred: Collection[str]) -> tuple[Suite, ...]:
        """Return the suites that a decision may lead to, lightest first."""
        return tuple(suite for suite in self.usable if suite.id not in barred)

    def lightest(self, barred: Collection[str]) -> Suite | None:
        """Return the lightest suite that may be chosen."""
        return next((suite for suite in self.usable if suite.id not in barred), None)

    def down(self, start: Suite, barred: Collection[str]) -> Suite | None:
        """Return the suite one step lighter; None if there is none.

        The AEAD stays if it can, and the signature family unless it is a costly one. A heavier KEM
        family is chosen only if no other is left.
        """
        at = grade_of(start)
        below = [suite for suite in self.choices(barred) if self.lighter(suite, start)]
        lower = [suite for suite in below if grade_of(suite) < at]
        lower = [suite for suite in lower if grade_of(suite)[1] <= at[1]] or lower
        if lower:
            return self._nearest(lower, max(map(grade_of, lower)), start)
        # In the lowest grade only the lightest suite is left.
        return below[0] if below else None

    def up(self, start: Suite, ceiling: Suite, barred: Collection[str]) -> Suite | None:
        """Return the suite one step heavier, at most the ceiling; None if there is none.

        AEAD and signature family are the ceiling's if they can be. KEM families that are heavier
        than both that of the start and that of the ceiling are skipped.
        """
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

    def _nearest(self, suites: Iterable[Suite], grade: Grade, like: Suite) -> Suite:
        of_grade = [suite for suite in suites if grade_of(suite) == grade]
        least = min(suite.rekey_bytes for suite in of_grade)

        def unlikeness(suite: Suite) -> tuple[bool, bool, bool, Weight]:
            return (
                suite.rekey_bytes > _COSTLY * least,
                suite.aead != like.aead,
                suite.signature_family is not like.signature_family,
                self.weight(suite),
            )

        return min(of_grade, key=unlikeness)


def costly_signature(suite: Suite) -> bool:
    """Return whether a rekey takes far more bytes on the air than with the least signature."""
    same = (one.rekey_bytes for one in SUITES if one.kem == suite.kem)
    return suite.rekey_bytes > _COSTLY * min(same)
