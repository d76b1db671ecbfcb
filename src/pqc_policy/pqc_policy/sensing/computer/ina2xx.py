# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The registers of an INA219 or INA226 over I²C, for rates that the kernel's driver does not reach.

Texas Instruments SBOS448, section 8.6, and SBOS547, section 7.6. The registers are read through a
function, so that the bus stays outside.

Other chips have the same address: a PCA9685, for which the word that configures an INA219 means
sleep, drives servos and motors. So a chip is identified by reading alone. A read sends the number
of the register; to a PCA9685 that does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

CONFIGURATION, SHUNT_VOLTAGE, BUS_VOLTAGE, POWER, CURRENT, CALIBRATION = range(6)
MANUFACTURER, DIE = 0xFE, 0xFF  # of an INA226 only
# 32 V, 320 mV across the shunt, 11 bits in 276 µs each, both without pause: 1.8 kHz.
FAST_CONTINUOUS = 0x2000 | 0x1800 | 0x0100 | 0x0010 | 0x0007
_CONTINUOUS = 0x0007  # of the configuration of both: shunt and bus, without pause
_TEXAS_INSTRUMENTS, _DIE_226 = 0x5449, 0x226  # the lowest digit of the die is its revision
_SUPPLY_V = (2.5, 26.0)  # that an INA219 can measure and a computer or vehicle runs on
_CURRENT_ERROR = 0.5  # relative: a load may change between two reads

ReadWord = Callable[[int], int]  # register to its 16 bits


@dataclass(frozen=True, slots=True)
class Chip:
    """The steps of the voltage registers."""

    name: str
    shunt_v: float
    bus_v: float
    bus_shift: int  # bits below the bus voltage
    overflow: int  # the bit of the bus voltage that tells of a value beyond the range; 0: none


INA219 = Chip("INA219", 10e-6, 4e-3, 3, 0x0001)
INA226 = Chip("INA226", 2.5e-6, 1.25e-3, 0, 0)


@dataclass(frozen=True, slots=True)
class Measurement:
    voltage_v: float
    current_a: float

    @property
    def power_w(self) -> float:
        return self.voltage_v * self.current_a


@dataclass(frozen=True)
class Ina2xx:
    """A sensor with a shunt of known resistance."""

    read: ReadWord
    shunt_ohm: float = 0.1
    chip: Chip = INA219

    def measure(self) -> Measurement | None:
        """Return the newest measurement; None if it does not answer or is beyond its range."""
        try:
            shunt, bus = _signed(self.read(SHUNT_VOLTAGE)), self.read(BUS_VOLTAGE)
        except OSError:
            return None
        if bus & self.chip.overflow or shunt in (-0x8000, 0x7FFF):
            return None
        voltage_v = (bus >> self.chip.bus_shift) * self.chip.bus_v
        return Measurement(voltage_v, shunt * self.chip.shunt_v / self.shunt_ohm)


def identify(read: ReadWord) -> Chip | None:
    """Return the chip that measures there without pause; None if it may be another one.

    Writes nothing. Raises OSError if it does not answer.
    """
    configuration = read(CONFIGURATION)
    if configuration & _CONTINUOUS != _CONTINUOUS:
        return None
    # Only an INA226 has this bit set, so that no other chip is asked for its registers of identity.
    if configuration >> 14 == 1:
        known = read(MANUFACTURER) == _TEXAS_INSTRUMENTS and read(DIE) >> 4 == _DIE_226
        return INA226 if known else None
    return INA219 if configuration >> 14 == 0 and _calculates(read, configuration) else None


def _calculates(read: ReadWord, configuration: int) -> bool:
    """Return whether the registers depend on each other as those of an INA219."""
    shunt, bus = _signed(read(SHUNT_VOLTAGE)), read(BUS_VOLTAGE)
    calibration, current = read(CALIBRATION), _signed(read(CURRENT))
    range_counts = 4000 << (configuration >> 11 & 0x3)
    if bus & 0x0004 or calibration & 0x0001 or abs(shunt) > range_counts:
        return False  # bits that are always 0, and the range of the shunt
    if not _SUPPLY_V[0] <= (bus >> INA219.bus_shift) * INA219.bus_v <= _SUPPLY_V[1]:
        return False
    if calibration == 0:
        return current == 0 and read(POWER) == 0
    expected = shunt * calibration / 4096
    return abs(current - expected) <= 2 + _CURRENT_ERROR * abs(expected)


def _signed(word: int) -> int:
    return word - 0x10000 if word & 0x8000 else word
