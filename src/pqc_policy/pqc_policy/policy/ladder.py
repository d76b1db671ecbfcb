# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The order of the allowed suites, and one step down or up in it.

A rung is a KEM family at a level. A step goes to the next rung that holds a usable suite: across
the families of a level first, then a level down without going back to a heavier family, and the
other way up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pqc_policy.policy.config import Allowed
from pqc_policy.policy.profile import Profile
from pqc_policy.policy.suites import FAMILIES_BY_WEIGHT, SUITES, Suite

Rung = tuple[int, int]
Weight = tuple[int, float, str]


def rung_of(suite: Suite) -> Rung:
    """Return the place of a suite's family and level in the order from light to heavy."""
    return suite.level, FAMILIES_BY_WEIGHT.index(suite.family)


class Ladder:
    """The allowed suites whose switch interrupts the link briefly enough, from light to heavy."""

    def __init__(self, allowed: Allowed, profile: Profile, max_interruption_s: float) -> None:
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
        """Tell whether one suite is strictly lighter than another."""
        return self.weight(one) < self.weight(other)

    def may_choose(self, suite: Suite, barred: Collection[str]) -> bool:
        """Tell whether a decision may lead to this suite."""
        return suite.id in self._usable_ids and suite.id not in barred

    def choices(self, barred: Collection[str]) -> tuple[Suite, ...]:
        """Return what a decision may lead to, lightest first."""
        return tuple(suite for suite in self.usable if suite.id not in barred)

    def lightest(self, barred: Collection[str]) -> Suite | None:
        """Return the lightest suite that may be chosen."""
        return next((suite for suite in self.usable if suite.id not in barred), None)

    def down(self, start: Suite, barred: Collection[str]) -> Suite | None:
        """Return the suite one step lighter: same AEAD and kind of signature if there is one.

        It is of a heavier family than before only if nothing else is left.
        """
        at = rung_of(start)
        below = [suite for suite in self.choices(barred) if self.lighter(suite, start)]
        lower = [suite for suite in below if rung_of(suite) < at]
        lower = [suite for suite in lower if rung_of(suite)[1] <= at[1]] or lower
        if lower:
            return self._nearest(lower, max(map(rung_of, lower)), start)
        # On the lowest rung the lightest suite is all that is left.
        return below[0] if below else None

    def up(self, start: Suite, ceiling: Suite, barred: Collection[str]) -> Suite | None:
        """Return the suite one step heavier, as like the ceiling as can be and not beyond it.

        Families heavier than both ends of the way are passed over.
        """
        at = rung_of(start)
        heaviest_family = max(at[1], rung_of(ceiling)[1])
        above = [
            suite
            for suite in self.choices(barred)
            if self.lighter(start, suite)
            and not self.lighter(ceiling, suite)
            and rung_of(suite)[1] <= heaviest_family
        ]
        higher = [suite for suite in above if rung_of(suite) > at]
        if higher:
            return self._nearest(higher, min(map(rung_of, higher)), ceiling)
        return ceiling if ceiling in above else None

    def _nearest(self, suites: Iterable[Suite], rung: Rung, like: Suite) -> Suite:
        def unlikeness(suite: Suite) -> tuple[bool, bool, Weight]:
            return (
                suite.aead != like.aead,
                suite.signature_family is not like.signature_family,
                self.weight(suite),
            )

        return min((suite for suite in suites if rung_of(suite) == rung), key=unlikeness)
