# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Times in which an end sends no data."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np


class Quiet:
    """Times without data, in order."""

    def __init__(self) -> None:
        self.start_s: list[float] = []
        self.end_s: list[float] = []

    def add(self, start_s: float, end_s: float) -> None:
        """Append a time, which does not begin before the others."""
        if self.end_s and start_s <= self.end_s[-1]:
            self.end_s[-1] = max(self.end_s[-1], end_s)
        else:
            self.start_s.append(start_s)
            self.end_s.append(end_s)

    def before(self, at_s: float) -> float:
        """Return the start of the time that contains a moment; outside of them the moment."""
        one = bisect_right(self.start_s, at_s) - 1
        return self.start_s[one] if one >= 0 and at_s < self.end_s[one] else at_s

    def covers(self, at_s: float) -> bool:
        """Return whether the newest of them contains a moment."""
        return bool(self.end_s) and self.start_s[-1] <= at_s < self.end_s[-1]

    def touches(self, start_s: float, end_s: float) -> bool:
        """Return whether the newest of them overlap a time."""
        return bool(self.end_s) and self.end_s[-1] > start_s and self.start_s[-1] < end_s

    def outside(self, sent_s: np.ndarray) -> np.ndarray:
        """Return of each moment whether it is in none of them."""
        ends = np.searchsorted(self.start_s, sent_s, "right") - 1
        until_s = np.array([-1.0, *self.end_s])[ends + 1]
        return sent_s >= until_s
