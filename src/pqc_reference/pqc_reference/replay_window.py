# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which sequence numbers were received: a bitmap behind the highest of them (RFC 6479)."""

from __future__ import annotations

from enum import Enum


class Verdict(Enum):
    """Whether a packet with some sequence number may be accepted."""

    FRESH = "fresh"
    REPLAYED = "replay"
    TOO_OLD = "seq_old"


class ReplayWindow:
    """Remembers the newest `size` sequence numbers: check, then authenticate, then commit."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._mask = (1 << size) - 1
        self._bits = 0  # bit n: `highest` - n was received
        self.highest = -1

    def check(self, sequence: int) -> Verdict:
        """Return whether a packet with this number may be accepted."""
        behind = self.highest - sequence
        if behind < 0:
            return Verdict.FRESH
        if behind >= self._size:
            return Verdict.TOO_OLD
        return Verdict.REPLAYED if self._bits >> behind & 1 else Verdict.FRESH

    def commit(self, sequence: int) -> int:
        """Record a fresh, authenticated packet; return how many it skips, or -1 if it is late."""
        ahead = sequence - self.highest
        if ahead > 0:
            # After a jump as wide as the window none of its bits remain.
            self._bits = (self._bits << ahead & self._mask if ahead < self._size else 0) | 1
            self.highest = sequence
            return ahead - 1
        self._bits |= 1 << -ahead
        return -1
