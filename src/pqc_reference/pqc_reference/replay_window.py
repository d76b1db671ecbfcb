# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which sequence numbers have been received: a bitmap behind the highest of them (RFC 6479)."""

from __future__ import annotations

from enum import Enum


class Verdict(Enum):
    """What the window says of a sequence number."""

    FRESH = "fresh"
    REPLAYED = "replay"
    TOO_OLD = "seq_old"


class ReplayWindow:
    """Remembers the newest `size` sequence numbers; check, then authenticate, then commit."""

    def __init__(self, size: int) -> None:
        """Begin with nothing received."""
        self._size = size
        self._mask = (1 << size) - 1
        self._bits = 0  # bit n: `highest` - n has been received
        self.highest = -1

    def check(self, sequence: int) -> Verdict:
        """Tell whether a packet with this number may be accepted."""
        behind = self.highest - sequence
        if behind < 0:
            return Verdict.FRESH
        if behind >= self._size:
            return Verdict.TOO_OLD
        return Verdict.REPLAYED if self._bits >> behind & 1 else Verdict.FRESH

    def commit(self, sequence: int) -> int:
        """Note a fresh, authenticated packet; return how many were skipped, -1 if it is late."""
        ahead = sequence - self.highest
        if ahead > 0:
            # A jump as wide as the window leaves nothing of it.
            self._bits = (self._bits << ahead & self._mask if ahead < self._size else 0) | 1
            self.highest = sequence
            return ahead - 1
        self._bits |= 1 << -ahead
        return -1
