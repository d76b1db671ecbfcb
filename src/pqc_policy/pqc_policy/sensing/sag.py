# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""How fast a battery's voltage falls, apart from what a change of load makes of it.

A take-off takes half a volt off within a second. Read as a fall per minute that would be an alarm
at every take-off, so the load is told apart: voltage = a + slope * time + c * current, by least
squares over a window. What is known of the resistance beforehand steadies c while the load hardly
changes.
"""

from __future__ import annotations

from dataclasses import dataclass

# How much is made of the resistance known beforehand: the square of the voltage's noise over that
# of the resistance's uncertainty, 20 mV and 10 mΩ.
_PRIOR_A2 = 4.0


@dataclass(frozen=True, slots=True)
class Sag:
    """A window of samples (time in s, voltage in V, current in A); pushing gives the next one."""

    resistance_ohm: float  # of the pack, roughly
    window_s: float = 30.0
    least_s: float = 5.0  # shorter than this tells nothing
    samples: tuple[tuple[float, float, float], ...] = ()

    def pushed(self, time_s: float, voltage_v: float, current_a: float) -> Sag:
        """Return the window with one more sample; a clock that went backwards empties it."""
        kept = self.samples if self.samples and self.samples[-1][0] < time_s else ()
        recent = tuple(sample for sample in kept if time_s - sample[0] <= self.window_s)
        samples = (*recent, (time_s, voltage_v, current_a))
        return Sag(self.resistance_ohm, self.window_s, self.least_s, samples)

    def mv_per_minute(self) -> float | None:
        """Return the slope in mV/min, below zero when falling; None if the samples are too few."""
        count = len(self.samples)
        if count < 3 or self.samples[-1][0] - self.samples[0][0] < self.least_s:
            return None
        mean_t, mean_v, mean_i = (sum(column) / count for column in zip(*self.samples, strict=True))
        away = [(t - mean_t, v - mean_v, i - mean_i) for t, v, i in self.samples]
        tt = sum(t * t for t, _, _ in away)
        ti = sum(t * i for t, _, i in away)
        tv = sum(t * v for t, v, _ in away)
        ii = sum(i * i for _, _, i in away) + _PRIOR_A2
        iv = sum(i * v for _, v, i in away) - _PRIOR_A2 * self.resistance_ohm
        return 60_000.0 * (tv * ii - iv * ti) / (tt * ii - ti * ti)
