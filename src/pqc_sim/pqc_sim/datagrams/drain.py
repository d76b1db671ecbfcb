# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Decides when a program that has stopped sending may stop receiving."""

from __future__ import annotations

# Another process on the path may wait for the CPU for more than a second.
_QUIET_NS = 2_000_000_000
_LONGEST_NS = 8_000_000_000


class Drain:
    """Ends once nothing has arrived for a while, or after the longest time; times in ns."""

    def __init__(self, quiet_ns: int = _QUIET_NS, longest_ns: int = _LONGEST_NS) -> None:
        self._quiet_ns = quiet_ns
        self._longest_ns = longest_ns
        self._began_ns: int | None = None
        self._last_ns = 0
        self._given_up = False

    def begin(self, now_ns: int) -> None:
        self._began_ns = self._last_ns = now_ns

    def note(self, now_ns: int) -> None:
        self._last_ns = now_ns

    def give_up(self) -> None:
        """End at once."""
        self._given_up = True

    def finished(self, now_ns: int) -> bool:
        """Return whether draining has ended; False before `begin`.

        `now_ns` is the time before the latest receive call, so that time in which this process had
        no CPU doesn't count as quiet.
        """
        if self._began_ns is None:
            return False
        quiet = now_ns - self._last_ns >= self._quiet_ns
        return self._given_up or quiet or now_ns - self._began_ns >= self._longest_ns
