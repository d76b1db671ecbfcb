# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Rate of change of a quantity, from its newest samples."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trend:
    """A window of samples (time in s, value); `pushed` returns the window with one more."""

    window_s: float = 30.0
    least_s: float = 5.0  # shortest window that gives a rate
    samples: tuple[tuple[float, float], ...] = ()

    def pushed(self, time_s: float, value: float) -> Trend:
        """Return the window with one more sample; a clock that goes back empties it."""
        kept = self.samples if self.samples and self.samples[-1][0] < time_s else ()
        first = 0
        while first < len(kept) and time_s - kept[first][0] > self.window_s:
            first += 1
        return Trend(self.window_s, self.least_s, (*kept[first:], (time_s, value)))

    def per_minute(self) -> float | None:
        """Return the slope of a least-squares line per minute; None with too few samples."""
        if len(self.samples) < 3 or self.samples[-1][0] - self.samples[0][0] < self.least_s:
            return None
        count = len(self.samples)
        times_s = [time_s for time_s, _ in self.samples]
        values = [value for _, value in self.samples]
        mean_s, mean = sum(times_s) / count, sum(values) / count
        offsets_s = [time_s - mean_s for time_s in times_s]
        spread = sum([offset_s**2 for offset_s in offsets_s])
        joint = sum([a * (b - mean) for a, b in zip(offsets_s, values, strict=True)])
        return 60.0 * joint / spread
