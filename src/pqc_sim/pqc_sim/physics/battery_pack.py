# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A lithium-polymer pack: Thevenin's circuit with two RC pairs.

The open-circuit voltage has the form that M. Chen and G. A. Rincón-Mora found for polymer cells
(IEEE Trans. Energy Conversion 21(2), 2006), with numbers of a hobby pack. Resistances follow
Arrhenius' law and rise towards empty. The battery predictor of pqc_policy uses another model.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sqrt

_KELVIN = 273.15
_REFERENCE_K = 298.15


@dataclass(frozen=True)
class PackType:
    """The constants of a pack; resistances are those of one cell at 25 °C, far from empty."""

    cells: int = 4
    capacity_ah: float = 5.2
    faded: float = 0.0  # share of the capacity lost to age
    ohm: float = 0.0024
    fast_ohm: float = 0.0009
    fast_s: float = 4.0
    slow_ohm: float = 0.0012
    slow_s: float = 110.0
    activation_k: float = 1900.0  # steepness with which resistances rise in the cold
    heat_j_per_k: float = 480.0
    cooling_w_per_k: float = 0.9


def open_circuit_v(charge: float) -> float:
    """Return the voltage of one cell in V after a long rest, at a charge from 0 to 1."""
    z = min(max(charge, 0.0), 1.0)
    return 3.705 + 0.18 * z - 0.11 * z**2 + 0.415 * z**3 - 0.45 * exp(-45.0 * z)


class Pack:
    """The state of a pack; `step` moves it through time."""

    def __init__(self, kind: PackType, charge: float, temperature_c: float) -> None:
        self.kind = kind
        self.charge = charge
        self.temperature_c = temperature_c
        self.current_a = 0.0
        self.consumed_ah = 0.0
        self.consumed_j = 0.0
        self._fast_v = 0.0
        self._slow_v = 0.0
        self.voltage_v = kind.cells * open_circuit_v(charge)

    @property
    def remaining_s(self) -> float | None:
        """Time until empty at the present current, in s; None without a current."""
        if self.current_a <= 0.0:
            return None
        return self.charge * self.kind.capacity_ah / self.current_a * 3600.0

    def step(self, power_w: float, ambient_c: float, seconds: float) -> None:
        """Draw a power in W for a short time; an empty pack delivers nothing."""
        kind = self.kind
        if self.charge <= 0.0:
            power_w = 0.0
        kelvin = self.temperature_c + _KELVIN
        cold = exp(kind.activation_k * (1.0 / kelvin - 1.0 / _REFERENCE_K))
        empty = 1.0 + 2.0 * exp(-self.charge / 0.03)
        inner_v = kind.cells * (open_circuit_v(self.charge) - self._fast_v - self._slow_v)
        inner_ohm = kind.cells * kind.ohm * cold * empty
        # The current at which voltage times current is the load; at most what the pack can give.
        root = sqrt(max(inner_v**2 - 4.0 * inner_ohm * power_w, 0.0))
        self.current_a = (inner_v - root) / (2.0 * inner_ohm)
        self.voltage_v = inner_v - inner_ohm * self.current_a
        self.consumed_ah += self.current_a * seconds / 3600.0
        self.consumed_j += self.voltage_v * self.current_a * seconds

        capacity_ah = kind.capacity_ah * (1.0 - kind.faded)
        capacity_ah *= 1.0 - 0.0035 * max(25.0 - self.temperature_c, 0.0)
        self.charge = max(self.charge - self.current_a * seconds / 3600.0 / capacity_ah, 0.0)
        fast_v = self.current_a * kind.fast_ohm * cold * empty
        slow_v = self.current_a * kind.slow_ohm * cold * empty
        self._fast_v += (fast_v - self._fast_v) * (1.0 - exp(-seconds / kind.fast_s))
        self._slow_v += (slow_v - self._slow_v) * (1.0 - exp(-seconds / kind.slow_s))
        loss_w = self.current_a * (inner_ohm * self.current_a)
        loss_w += self.current_a * kind.cells * (self._fast_v + self._slow_v)
        cooling_w = kind.cooling_w_per_k * (self.temperature_c - ambient_c)
        self.temperature_c += (loss_w - cooling_w) / kind.heat_j_per_k * seconds
