# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Totals that only grow, read now and then; between two readings they grow evenly."""

from __future__ import annotations

from collections import deque

# The age of the peer's report is measured each time, so that its time of origin varies a little.
_SAME_S = 0.05


class Totals:
    """They start again when the first one or the clock goes backwards, and after a long gap."""

    def __init__(self, longest_gap_s: float) -> None:
        self._longest_gap_s = longest_gap_s
        self._readings: deque[tuple[float, tuple[float, ...]]] = deque()
        self._grown_s = 0.0  # when the second total last grew

    @property
    def newest_s(self) -> float | None:
        """The time of the newest reading in s; None without one."""
        return self._readings[-1][0] if self._readings else None

    def put(
        self, time_s: float, totals: tuple[float, ...], *, silence_is_gap: bool = False
    ) -> None:
        """Take a reading; a time without growth can count as a gap."""
        if self._readings:
            before_s, before = self._readings[-1]
            if abs(time_s - before_s) <= _SAME_S and totals[0] >= before[0]:
                return
            silent = silence_is_gap and before_s - self._grown_s > self._longest_gap_s
            if (
                time_s < before_s
                or time_s - before_s > self._longest_gap_s
                or totals[0] < before[0]
                or (silent and totals[1] > before[1])
            ):
                self._readings.clear()
            elif totals[1] > before[1]:
                self._grown_s = time_s
        if not self._readings:
            self._grown_s = time_s
        self._readings.append((time_s, totals))

    def between(self, start_s: float, end_s: float) -> tuple[float, ...] | None:
        """Return how much each total grew; None if the readings don't cover that time."""
        at_start, at_end = self._at(start_s), self._at(end_s)
        if at_start is None or at_end is None:
            return None
        return tuple(max(end - start, 0.0) for start, end in zip(at_start, at_end, strict=True))

    def forget_before(self, time_s: float) -> None:
        """Drop the readings that are not needed for times from time_s on."""
        while len(self._readings) > 1 and self._readings[1][0] <= time_s:
            self._readings.popleft()

    def _at(self, time_s: float) -> tuple[float, ...] | None:
        if not self._readings or time_s < self._readings[0][0]:
            return None
        before_s, before = self._readings[0]
        for after_s, after in self._readings:
            if time_s <= after_s:
                share = (time_s - before_s) / (after_s - before_s) if after_s > before_s else 0.0
                return tuple(a + share * (b - a) for a, b in zip(before, after, strict=True))
            before_s, before = after_s, after
        return None
