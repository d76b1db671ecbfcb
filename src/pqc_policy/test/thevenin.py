# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Discharges of a pack as an equivalent circuit with two slow parts.

The shape of the open-circuit voltage and of the resistances over charge is that of M. Chen and
G. A. Rincón-Mora, "Accurate electrical battery model capable of predicting runtime and I-V
performance", IEEE Trans. Energy Conversion 21(2), 2006, measured at a small polymer cell; scaled
to a pack for drones. The predictor does not use this model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, pi, sin
from random import Random

from pqc_policy.sensing.battery.predictor import Sample
from shepherd import CUT_OFF_V, Discharge


@dataclass(frozen=True)
class CircuitDischarge(Discharge):
    """One flight from a full pack to the cut-off voltage, in legs of different load."""

    resistance_ohm: float = 0.0042  # of a cell at 25 °C, sum of all three parts, far from empty
    steepness: float = 1.18  # of the open-circuit voltage; determines the voltage of the full pack
    legs: float = 0.08  # share by which the load rises and falls in legs of three minutes

    def samples(self) -> Iterator[tuple[Sample, float]]:
        """Yield a sample for each second, and the true charge taken in Ah."""
        chance = Random(self.seed)
        taken_ah, gust_a, fast_v, slow_v = 0.0, 0.0, 0.0, 0.0
        kelvin = 273.15 + self.temperature_c
        ohm = self.resistance_ohm / 0.171 * exp(2000.0 * (1.0 / kelvin - 1.0 / 298.15))
        capacity_ah = self.capacity_ah * (1.0 - 0.0045 * max(25.0 - self.temperature_c, 0.0))
        for second in range(20000):
            gust_a += 0.05 * (chance.gauss(0.0, self.gust_a) - gust_a)
            leg_a = self.hover_a * self.legs * sin(2.0 * pi * second / 180.0)
            current_a = 0.3 if second < 90 else max(1.0, self.hover_a + leg_a + gust_a)
            taken_ah += current_a / 3600.0
            left = max(1.0 - taken_ah / capacity_ah, 0.0)
            rise = self.steepness * (0.2156 * left - 0.1178 * left**2 + 0.3201 * left**3)
            open_v = 3.685 + rise - 1.031 * exp(-35.0 * left)
            quick_ohm = ohm * (0.0745 + 0.1562 * exp(-24.4 * left))
            fast_ohm = ohm * (0.0467 + 0.3208 * exp(-29.1 * left))
            slow_ohm = ohm * 0.0498
            fast_v += (current_a * fast_ohm - fast_v) / 33.0
            slow_v += (current_a * slow_ohm - slow_v) / 223.0
            cell_v = open_v - current_a * quick_ohm - fast_v - slow_v
            if cell_v < CUT_OFF_V:
                return
            yield self.measured(chance, second, cell_v, current_a), taken_ah
