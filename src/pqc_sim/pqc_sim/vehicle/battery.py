# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A lithium-polymer pack: open-circuit voltage by charge, resistance, and slow polarisation."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

_SECONDS_PER_HOUR = 3600.0
# State of charge against open-circuit voltage of one cell at rest, in V.
_CURVE = (
    (0.00, 3.27),
    (0.05, 3.55),
    (0.10, 3.66),
    (0.20, 3.71),
    (0.30, 3.75),
    (0.40, 3.78),
    (0.50, 3.83),
    (0.60, 3.88),
    (0.70, 3.95),
    (0.80, 4.02),
    (0.90, 4.09),
    (1.00, 4.20),
)
_CHARGES = tuple(charge for charge, _ in _CURVE)


def open_circuit_cell_v(charge: float) -> float:
    """Return the resting voltage of a cell in V at a state of charge from 0 to 1."""
    charge = min(max(charge, 0.0), 1.0)
    above = min(bisect_right(_CHARGES, charge), len(_CURVE) - 1)
    (low, low_v), (high, high_v) = _CURVE[above - 1], _CURVE[above]
    return low_v + (high_v - low_v) * (charge - low) / (high - low)


@dataclass
class Battery:
    """The state of a pack; `discharge` moves it through time."""

    cells: int = 4
    capacity_mah: float = 5200.0
    charge: float = 1.0
    cell_resistance_ohm: float = 0.0032
    cell_polarisation_ohm: float = 0.0045
    polarisation_time_s: float = 9.0
    consumed_mah: float = 0.0
    consumed_j: float = 0.0
    current_a: float = 0.0
    temperature_c: float = 24.0
    _polarisation_v: float = 0.0

    @property
    def cell_v(self) -> float:
        """Voltage of one cell under the present load, in V."""
        loss = self.current_a * self.cell_resistance_ohm + self._polarisation_v
        return max(0.0, open_circuit_cell_v(self.charge) - loss)

    @property
    def voltage_v(self) -> float:
        """Voltage of the pack under the present load, in V."""
        return self.cells * self.cell_v

    @property
    def remaining_s(self) -> float | None:
        """Time until empty at the present current, in s; None without a current."""
        if self.current_a <= 0.0:
            return None
        return self.charge * self.capacity_mah / 1000.0 / self.current_a * _SECONDS_PER_HOUR

    def discharge(self, current_a: float, seconds: float) -> None:
        """Draw a current for a while; an empty pack delivers none."""
        self.current_a = current_a if self.charge > 0.0 else 0.0
        taken_mah = min(
            self.current_a * 1000.0 * seconds / _SECONDS_PER_HOUR, self.charge * self.capacity_mah
        )
        self.consumed_mah += taken_mah
        self.charge = max(0.0, self.charge - taken_mah / self.capacity_mah)
        self.consumed_j += self.voltage_v * self.current_a * seconds
        share = min(1.0, seconds / self.polarisation_time_s)
        self._polarisation_v += share * (
            self.current_a * self.cell_polarisation_ohm - self._polarisation_v
        )
        # Ohmic heat against a slow exchange with the air.
        heat_w = self.cells * self.cell_resistance_ohm * self.current_a**2
        self.temperature_c += seconds * (0.004 * heat_w - 0.0015 * (self.temperature_c - 24.0))
