# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Limits the age of frames of the other end ("Freshness" of the protocol page)."""

from __future__ import annotations

UNIT_S = 1 / 64
PERIOD_S = 65536 * UNIT_S

_DRIFT = 1 / 4096


def send_time(now: float) -> int:
    """Return the time that travels in a frame, of 16 bits."""
    return int(now / UNIT_S) % 65536


class PeerClock:
    """The latest time that the other end's clock can show, modulo the period; for one session."""

    def __init__(self) -> None:
        self._ahead: float | None = None  # most that it is ahead of this end's clock
        self._since = 0.0
        self._round_trip: float | None = None

    @property
    def answered(self) -> bool:
        return self._round_trip is not None

    def note_sealed(self, sent: int, after: float, now: float) -> None:
        """Take a frame that arrives now and was sealed after a moment of this end's clock."""
        ahead = (sent + 1) * UNIT_S - after
        if self._ahead is not None:
            jumped = _difference(sent * UNIT_S, self._latest(now)) > 0
            tighter = _difference(ahead + (now - after) * _DRIFT + now, self._latest(now)) < 0
            if not (jumped or tighter):
                return
        self._ahead, self._since = ahead, after

    def note_answer(self, sent: int, asked: float, now: float) -> None:
        """Take the frame that answers a question of that moment."""
        self.note_sealed(sent, asked, now)
        self._round_trip = min(now - asked, self._round_trip or now - asked)

    def usual_way(self, max_age: float) -> float:
        """Return half of the smallest round trip so far, but no more than `max_age`."""
        return min((self._round_trip or 0.0) / 2, max_age)

    def is_young(self, sent: int, max_age: float, now: float) -> bool:
        """Return whether a frame, younger than half a period, is young enough."""
        if self._ahead is None:
            return False
        age = _difference(self._latest(now), sent * UNIT_S)
        return 0 <= age <= max_age + self.usual_way(max_age)

    def _latest(self, now: float) -> float:
        assert self._ahead is not None
        return now + self._ahead + (now - self._since) * _DRIFT


def _difference(a: float, b: float) -> float:
    return (a - b + PERIOD_S / 2) % PERIOD_S - PERIOD_S / 2
