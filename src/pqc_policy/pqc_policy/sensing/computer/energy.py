# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Energy from samples of power, by the trapezoidal rule."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Energy:
    """Energy used so far; `added` returns the energy after another sample."""

    joules: float = 0.0
    seconds: float = 0.0  # covered by samples
    longest_gap_s: float = 1.0  # a longer gap between two samples is not covered
    last: tuple[float, float] | None = None  # time in s, power in W

    def added(self, time_s: float, power_w: float) -> Energy:
        joules, seconds = self.joules, self.seconds
        if self.last is not None:
            step_s = time_s - self.last[0]
            if 0.0 < step_s <= self.longest_gap_s:
                joules += (self.last[1] + power_w) / 2.0 * step_s
                seconds += step_s
        return Energy(joules, seconds, self.longest_gap_s, (time_s, power_w))

    @property
    def mean_w(self) -> float | None:
        """Mean power over the covered time; None before the second sample."""
        return self.joules / self.seconds if self.seconds > 0.0 else None
