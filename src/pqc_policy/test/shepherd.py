# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Discharges of a pack after Shepherd's equation, which the predictor does not use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp
from random import Random

from pqc_policy.sensing.battery.predictor import Sample

CUT_OFF_V = 3.3  # of a cell, at the end of the flight


@dataclass(frozen=True)
class Discharge:
    """One flight from a full pack to the cut-off voltage."""

    capacity_ah: float = 5.2  # true capacity at 25 °C and 1 C
    cells: int = 4
    resistance_ohm: float = 0.004
    hover_a: float = 16.0
    gust_a: float = 4.0
    temperature_c: float = 25.0
    current_error: float = 0.0  # relative error of the current sensor
    noise_v: float = 0.02
    seed: int = 1

    def samples(self) -> Iterator[tuple[Sample, float]]:
        """Yield a sample for each second, and the true share of charge taken."""
        chance = Random(self.seed)
        taken_ah, slow_a, gust_a = 0.0, 0.0, 0.0
        cold_c = 25.0 - self.temperature_c
        capacity_ah = self.capacity_ah * (1.0 - 0.006 * max(cold_c, 0.0))
        resistance_ohm = self.resistance_ohm * exp(0.018 * cold_c)
        for second in range(20000):
            gust_a += 0.1 * (chance.gauss(0.0, self.gust_a) - gust_a)
            # A while on the ground, then the flight.
            current_a = 0.3 if second < 90 else max(1.0, self.hover_a + gust_a)
            slow_a += (current_a - slow_a) / 25.0
            taken_ah += current_a / 3600.0
            left = max(capacity_ah - taken_ah, 1e-3)
            # Polarisation grows as the charge runs out; the exponential zone is the first tenth.
            cell_v = (
                3.83
                - 0.0052 * capacity_ah / left * taken_ah
                - 0.0011 * capacity_ah / left * slow_a
                + 0.36 * exp(-4.2 * taken_ah / capacity_ah)
                - resistance_ohm * current_a
            )
            if cell_v < CUT_OFF_V:
                return
            yield self.measured(chance, second, cell_v, current_a), taken_ah

    def measured(self, chance: Random, second: int, cell_v: float, current_a: float) -> Sample:
        """Return the sample of a second, with the noise of its sensors."""
        return Sample(
            float(second),
            self.cells * cell_v + chance.gauss(0.0, self.noise_v),
            current_a * (1.0 + self.current_error) + chance.gauss(0.0, 0.2),
            self.temperature_c + chance.gauss(0.0, 0.5),
        )
