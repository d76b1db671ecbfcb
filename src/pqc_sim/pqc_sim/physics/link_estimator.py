# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Estimates the link in one direction from the datagrams that arrive: the figures of a LinkView."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from math import ceil

WINDOW_S = 5.0
BLACKOUT_S = 1.0


@dataclass(frozen=True)
class LinkFigures:
    """The fields of a LinkView, in its units."""

    window_s: float = 0.0
    packets_per_s: float = 0.0
    bytes_per_s: float = 0.0
    loss: float = 0.0
    gap_p95_s: float = 0.0
    longest_silence_s: float = 0.0
    jitter_s: float = 0.0
    blackouts: int = 0
    packets: int = 0
    lost: int = 0
    reordered: int = 0
    duplicates: int = 0


class LinkEstimator:
    """Measures arrivals in one direction, from a time on."""

    def __init__(self, now_s: float) -> None:
        self._start_s = now_s
        self._last_s = now_s
        self._gap_s: float | None = None
        self._recent: deque[tuple[float, float, int, int]] = deque()  # time, gap, expected, bytes
        self._highest = -1
        self._expected = 0
        self._jitter_s = 0.0
        self.packets = 0
        self._reordered = 0
        self._blackouts = 0

    @property
    def last_s(self) -> float:
        """Return when the newest datagram arrived, in s."""
        return self._last_s

    def note(self, now_s: float, sequence: int, size: int) -> None:
        """Record a datagram, in the order of arrival; `size` is in bytes."""
        gap_s = now_s - self._last_s
        if gap_s > BLACKOUT_S:
            self._blackouts += 1
        if self._gap_s is not None:
            self._jitter_s += (abs(gap_s - self._gap_s) - self._jitter_s) / 16.0
        if self.packets:
            self._gap_s = gap_s
        else:
            self._highest = sequence - 1  # earlier datagrams are not missing
        expected = max(sequence - self._highest, 0)
        self._reordered += sequence < self._highest
        self._highest = max(sequence, self._highest)
        self._expected += expected
        self.packets += 1
        self._last_s = now_s
        self._recent.append((now_s, gap_s, expected, size))

    def view(self, now_s: float) -> LinkFigures:
        """Return the figures at a time, in s."""
        while self._recent and self._recent[0][0] < now_s - WINDOW_S:
            self._recent.popleft()
        silence_s = now_s - self._last_s
        gaps = sorted([gap_s for _, gap_s, _, _ in self._recent] + [silence_s])
        packets = len(self._recent)
        expected = sum(entry[2] for entry in self._recent)
        span_s = min(max(now_s - self._start_s, WINDOW_S / 20.0), WINDOW_S)
        return LinkFigures(
            window_s=min(now_s - self._start_s, WINDOW_S),
            packets_per_s=packets / span_s,
            bytes_per_s=sum(entry[3] for entry in self._recent) / span_s,
            loss=max(expected - packets, 0) / expected if expected else 0.0,
            gap_p95_s=gaps[ceil(0.95 * len(gaps)) - 1],
            longest_silence_s=gaps[-1],
            jitter_s=self._jitter_s,
            blackouts=self._blackouts + (silence_s > BLACKOUT_S),
            packets=self.packets,
            lost=max(self._expected - self.packets, 0),
            reordered=self._reordered,
        )
