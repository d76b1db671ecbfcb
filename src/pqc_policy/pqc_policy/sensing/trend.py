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
        recent = tuple(sample for sample in kept if time_s - sample[0] <= self.window_s)
        return Trend(self.window_s, self.least_s, (*recent, (time_s, value)))

    def per_minute(self) -> float | None:
        """Return the slope of a least-squares line per minute; None with too few samples."""
        if len(self.samples) < 3 or self.samples[-1][0] - self.samples[0][0] < self.least_s:
            return None
        count = len(self.samples)
        mean_s = sum(time_s for time_s, _ in self.samples) / count
        mean = sum(value for _, value in self.samples) / count
        spread = sum((time_s - mean_s) ** 2 for time_s, _ in self.samples)
        joint = sum((time_s - mean_s) * (value - mean) for time_s, value in self.samples)
        return 60.0 * joint / spread
