# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Determines the whole seconds for which a decision is due."""

from __future__ import annotations

from pqc_policy.policy.telemetry import NANOSECONDS

# Longest delay in s after which missed seconds are decided; after a longer one only the newest is.
CATCH_UP = 60


class Schedule:
    """A second becomes due some time after its end, so that late messages have arrived."""

    def __init__(self) -> None:
        self._next_ns: int | None = None

    def set_back(self, now_ns: int) -> bool:
        """Return whether the clock was set back by more than 2 s; if so, start again."""
        if self._next_ns is None or now_ns >= self._next_ns - 2 * NANOSECONDS:
            return False
        self._next_ns = None
        return True

    def wait_ns(self, now_ns: int, settle_ns: int) -> int:
        """Return the time until the next second is due; one second if none is known."""
        if self._next_ns is None:
            return NANOSECONDS
        return min(NANOSECONDS, max(0, self._next_ns + settle_ns - now_ns))

    def due(self, now_ns: int, settle_ns: int) -> list[int]:
        """Return the seconds, in ns, that have become due; none while the clock is zero."""
        if now_ns <= 0:
            return []
        if self._next_ns is None:
            self._next_ns = -(-now_ns // NANOSECONDS) * NANOSECONDS
        newest_ns = (now_ns - settle_ns) // NANOSECONDS * NANOSECONDS
        if newest_ns - self._next_ns >= CATCH_UP * NANOSECONDS:
            self._next_ns = newest_ns
        due = list(range(self._next_ns, newest_ns + 1, NANOSECONDS))
        if due:
            self._next_ns = due[-1] + NANOSECONDS
        return due
