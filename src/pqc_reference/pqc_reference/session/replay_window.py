# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Remembers received sequence numbers and their times in a sliding bitmap (RFC 6479)."""

from __future__ import annotations

from collections import deque
from enum import Enum


class Verdict(Enum):
    """The result of a check of a sequence number."""

    FRESH = "fresh"
    REPLAYED = "replay"
    TOO_OLD = "seq_old"


class ReplayWindow:
    """Remembers the newest `size` sequence numbers: check, then authenticate, then commit."""

    def __init__(self, size: int, max_age_s: float) -> None:
        self._size = size
        self._mask = (1 << size) - 1
        self._max_age_s = max_age_s
        self._bits = 0  # bit n: `highest` - n was received
        self._arrivals: deque[tuple[float, int]] = deque()  # time, highest since then
        self.highest = -1

    def check(self, sequence: int, now: float) -> Verdict:
        """Return whether a frame with this number may be accepted at a time in s."""
        behind = self.highest - sequence
        if behind < 0:
            return Verdict.FRESH
        if behind >= self._size or sequence < self._oldest_in_time(now):
            return Verdict.TOO_OLD
        return Verdict.REPLAYED if self._bits >> behind & 1 else Verdict.FRESH

    def commit(self, sequence: int, now: float) -> int:
        """Record a fresh, authentic frame; return how many it skips, or -1 if it is late."""
        ahead = sequence - self.highest
        if ahead > 0:
            # After a jump as wide as the window none of its bits remain.
            self._bits = (self._bits << ahead & self._mask if ahead < self._size else 0) | 1
            self.highest = sequence
            self._oldest_in_time(now)  # forgets arrivals
            self._arrivals.append((now, sequence))
            return ahead - 1
        self._bits |= 1 << -ahead
        return -1

    def _oldest_in_time(self, now: float) -> int:
        """Return the highest number that arrived more than the permitted lateness ago, or -1."""
        limit = now - self._max_age_s
        while len(self._arrivals) > 1 and self._arrivals[1][0] < limit:
            self._arrivals.popleft()
        if self._arrivals and self._arrivals[0][0] < limit:
            return self._arrivals[0][1]
        return -1
