# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Open-circuit voltage of a lithium-polymer cell as a function of its state of charge."""

from __future__ import annotations

from bisect import bisect_right

# State of charge, volts; typical of hobby packs at 25 °C.
_POINTS = (
    (0.00, 3.30),
    (0.05, 3.57),
    (0.10, 3.66),
    (0.20, 3.72),
    (0.30, 3.76),
    (0.40, 3.79),
    (0.50, 3.83),
    (0.60, 3.88),
    (0.70, 3.94),
    (0.80, 4.01),
    (0.90, 4.09),
    (1.00, 4.19),
)
_CHARGES = tuple(charge for charge, _ in _POINTS)
_VOLTAGES = tuple(voltage for _, voltage in _POINTS)


def cell_voltage_and_slope(charge: float) -> tuple[float, float]:
    """Return a cell's resting voltage in V and its slope in V per unit of charge.

    The curve is extrapolated beyond its ends, so that an estimate outside of them can recover.
    """
    above = min(max(bisect_right(_CHARGES, charge), 1), len(_POINTS) - 1)
    (low, low_v), (high, high_v) = _POINTS[above - 1], _POINTS[above]
    slope = (high_v - low_v) / (high - low)
    return low_v + slope * (charge - low), slope


def charge_at(voltage_v: float) -> float:
    """Return the state of charge, 0 to 1, of a cell that rests at this voltage."""
    above = min(max(bisect_right(_VOLTAGES, voltage_v), 1), len(_POINTS) - 1)
    (low, low_v), (high, high_v) = _POINTS[above - 1], _POINTS[above]
    charge = low + (high - low) * (voltage_v - low_v) / (high_v - low_v)
    return min(max(charge, 0.0), 1.0)
