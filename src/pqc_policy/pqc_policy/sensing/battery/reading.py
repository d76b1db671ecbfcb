# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The content of one message about the battery, from any source, and what of it is unknown.

Autopilots send values that mark the unknown, and values of inputs to which nothing is connected.
PX4 sends a current of -1 A without a current sensor; a board on USB power has its voltage.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isclose

from pqc_policy.policy.inputs import known

_UNKNOWN_V = 65.535  # the largest number of mV
# -1 cA, -1 A, and the ends of the numbers of cA.
_UNKNOWN_A = (-0.01, -1.0, 327.67, -327.67, -327.68, 655.35)
_SINGLE = 1e-6  # relative precision of the messages' numbers
_PLAUSIBLE_C = (-60.0, 150.0)
# No cell that flies has less; an emergency, by default, is below 3.5 V.
_CELL_V = (2.5, 4.5)


@dataclass(frozen=True, slots=True)
class BatteryReading:
    """Values of one message; None: unknown."""

    voltage_v: float
    current_a: float | None = None  # drawn
    temperature_c: float | None = None

    def implausible(self, cells: int) -> str:
        """Return why a pack of so many cells can't have this voltage; empty if it can."""
        if _CELL_V[0] <= self.voltage_v / cells <= _CELL_V[1]:
            return ""
        return f"{self.voltage_v:.2f} V can't be of {cells} cells (battery.cells)"

    def of_vehicle(self, armed: bool | None) -> BatteryReading:
        """Return the reading of a vehicle that is armed, is not, or may be (None).

        An armed vehicle takes a current out of its battery: another one is not measured.
        """
        current_a = self.current_a
        charges = current_a is not None and current_a < 0.0
        if (charges and armed is not False) or (current_a == 0.0 and armed):
            return replace(self, current_a=None)
        return self


def reading_of(
    voltage_v: float, current_a: float | None, temperature_c: float | None
) -> BatteryReading | None:
    """Return a reading whose unknown values are None; None without a voltage."""
    if known(voltage_v) is None or voltage_v <= 0.0 or _is(voltage_v, _UNKNOWN_V):
        return None
    current_a, temperature_c = known(current_a), known(temperature_c)
    if current_a is not None and any(_is(current_a, unknown) for unknown in _UNKNOWN_A):
        current_a = None
    if temperature_c is not None and not _PLAUSIBLE_C[0] <= temperature_c <= _PLAUSIBLE_C[1]:
        temperature_c = None
    return BatteryReading(voltage_v, current_a, temperature_c)


def _is(value: float, other: float) -> bool:
    return isclose(value, other, rel_tol=_SINGLE)
