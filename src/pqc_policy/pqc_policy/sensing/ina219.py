# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The INA219's registers over I²C, for rates that its kernel driver does not reach.

Texas Instruments SBOS448, section 8.6. The registers are read through a function, so that the bus
stays outside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

CONFIGURATION, SHUNT_VOLTAGE, BUS_VOLTAGE = 0x00, 0x01, 0x02
# 32 V, 320 mV across the shunt, 11 bits in 276 µs each, both without pause: 1.8 kHz.
FAST_CONTINUOUS = 0x2000 | 0x1800 | 0x0100 | 0x0010 | 0x0007
_SHUNT_V = 10e-6
_BUS_V = 4e-3
_OVERFLOW = 0x0001

ReadWord = Callable[[int], int]  # register to its 16 bits
WriteWord = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Measurement:
    """What the sensor saw."""

    voltage_v: float
    current_a: float

    @property
    def power_w(self) -> float:
        """Power into the load."""
        return self.voltage_v * self.current_a


@dataclass(frozen=True)
class Ina219:
    """A sensor with a shunt of known resistance."""

    read: ReadWord
    write: WriteWord
    shunt_ohm: float = 0.1

    def configure(self) -> None:
        """Make it measure continuously at full rate; raises OSError if it does not answer."""
        self.write(CONFIGURATION, FAST_CONTINUOUS)

    def measure(self) -> Measurement | None:
        """Return the newest measurement; None if it does not answer or is beyond its range."""
        try:
            shunt, bus = self.read(SHUNT_VOLTAGE), self.read(BUS_VOLTAGE)
        except OSError:
            return None
        if bus & _OVERFLOW:
            return None
        signed = shunt - 0x10000 if shunt & 0x8000 else shunt
        return Measurement((bus >> 3) * _BUS_V, signed * _SHUNT_V / self.shunt_ohm)
