# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Rate of a battery's voltage without the effect of a changing load.

At take-off the voltage drops by half a volt at once and by as much again while the cells polarise.
As part of the rate, that drop would cause an alarm at every take-off. A least-squares fit over a
window separates the load: voltage = a + slope * time + b * current + c * smoothed current. A prior
of the resistance stabilises b and c while the load hardly changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

import numpy as np

# Weight of the prior: the square of the voltage's noise over that of the resistance's uncertainty,
# 20 mV and 10 mΩ.
_PRIOR_A2 = 4.0
_POLARISATION_S = 10.0
_FAST_SHARE = 0.5  # of the resistance: the part that has an immediate effect

Sample = tuple[float, float, float, float]  # time in s, voltage in V, current and smoothed one in A


@dataclass(frozen=True, slots=True)
class VoltageTrend:
    """A window of samples; `pushed` returns the window with one more."""

    resistance_ohm: float  # of the pack, polarisation included, roughly
    window_s: float = 30.0
    least_s: float = 5.0  # shortest window that gives a rate
    samples: tuple[Sample, ...] = ()

    def pushed(self, time_s: float, voltage_v: float, current_a: float) -> VoltageTrend:
        """Return the window with one more sample; a clock that goes back empties it."""
        kept = self.samples if self.samples and self.samples[-1][0] < time_s else ()
        smooth_a = current_a
        if kept:
            last_s, _, _, smooth_a = kept[-1]
            smooth_a += (1.0 - exp((last_s - time_s) / _POLARISATION_S)) * (current_a - smooth_a)
        recent = tuple(sample for sample in kept if time_s - sample[0] <= self.window_s)
        samples = (*recent, (time_s, voltage_v, current_a, smooth_a))
        return VoltageTrend(self.resistance_ohm, self.window_s, self.least_s, samples)

    def mv_per_minute(self) -> float | None:
        """Return the slope in mV/min, below zero when falling; None if the samples are too few."""
        if len(self.samples) < 3 or self.samples[-1][0] - self.samples[0][0] < self.least_s:
            return None
        table = np.array(self.samples)
        table -= table.mean(axis=0)
        products = table.T @ table
        products[[2, 3], [2, 3]] += _PRIOR_A2
        fast_ohm = _FAST_SHARE * self.resistance_ohm
        products[2, 1] -= _PRIOR_A2 * fast_ohm
        products[3, 1] -= _PRIOR_A2 * (self.resistance_ohm - fast_ohm)
        causes = [0, 2, 3]
        slope_v_per_s = np.linalg.solve(products[np.ix_(causes, causes)], products[causes, 1])[0]
        return 60_000.0 * float(slope_v_per_s)
