# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""An emulated INA219: the files of the kernel's ina2xx-adc in a folder, its buffer a FIFO.

The feeder returns the samples that it fed, those that it left out, and the energy.
"""

from __future__ import annotations

import math
import os
import random
import struct
import time
from dataclasses import dataclass
from pathlib import Path

SCAN = struct.Struct("<hH4xq")
VOLTS = 5.0
_BUS_V, _SHIFT, _SHUNT_V, _SHUNT_OHM = 4e-3, 3, 10e-6, 0.1
_DEVICE = "iio:device0"
_BATCH_S = 0.01
_GAPS_PER_S = 0.2
_LONGEST_GAP = 50
_NS = 1_000_000_000


@dataclass
class Fed:
    """What the emulated sensor has sent; energy in J, of its whole time."""

    samples: int = 0
    gaps: int = 0
    missed: int = 0
    joules: float = 0.0


class EmulatedSensor:
    """The folders `sys` and `dev` of a computer with an INA219."""

    def __init__(self, folder: Path, rate_hz: float) -> None:
        self.sys, self.dev, self.rate_hz = folder / "sys", folder / "dev", rate_hz
        self._device = self.sys / "bus" / "iio" / "devices" / _DEVICE
        files = {
            "name": "ina219",
            "in_sampling_frequency": f"{rate_hz:g}",
            "in_voltage0_integration_time": "0.000532",
            "in_voltage1_integration_time": "0.000532",
            "in_voltage1_scale": f"{1e3 * _BUS_V:g}",
            "in_voltage0_scale": f"{1e3 * _SHUNT_V:g}",
            "in_current3_scale": "1",
            "in_shunt_resistor": f"{_SHUNT_OHM:.9f}",
            "current_timestamp_clock": "realtime",
            "buffer/enable": "0",
            "buffer/length": "2",
            "buffer/watermark": "1",
        }
        channels = (
            ("in_voltage0", "le:u16/16>>0"),
            ("in_voltage1", f"le:u{16 - _SHIFT}/16>>{_SHIFT}"),
            ("in_power2", "le:u16/16>>0"),
            ("in_current3", "le:u16/16>>0"),
            ("in_timestamp", "le:s64/64>>0"),
        )
        for index, (name, form) in enumerate(channels):
            for what, value in (("en", "1"), ("index", str(index)), ("type", form)):
                files[f"scan_elements/{name}_{what}"] = value
        for name, value in files.items():
            (self._device / name).parent.mkdir(parents=True, exist_ok=True)
            self.set(name, value)
        self.dev.mkdir(parents=True)
        self.device = self.dev / _DEVICE
        os.mkfifo(self.device)

    def value(self, name: str) -> str:
        """Return what a program has set."""
        return (self._device / name).read_text(encoding="ascii").strip()

    def set(self, name: str, value: str) -> None:
        """Have a file of the driver say something else."""
        (self._device / name).write_text(value + "\n", encoding="ascii")

    def feed(self, seconds: float, seed: int, *, paced: bool, drift: float = 1e-4) -> Fed:
        """Send samples for so long, by a clock that drifts, and leave some out at random.

        Paced, samples come when they are due, and those for which the buffer has no room are left
        out; else they come as quickly as they are read.
        """
        fed, dice = Fed(), random.Random(seed)
        end = os.open(self.device, os.O_WRONLY)  # waits for the reader
        os.set_blocking(end, not paced)
        begin_ns = time.monotonic_ns()
        period_s = (1.0 + drift) / self.rate_hz
        due, leave_out, in_gap = bytearray(), 0, False
        total = round(seconds * self.rate_hz)
        for number in range(total):
            at_s = number * period_s
            inner = 0 < number < total - 1
            if inner and not leave_out and dice.random() < _GAPS_PER_S * period_s:
                leave_out = dice.randint(1, _LONGEST_GAP)
            if inner and leave_out:
                leave_out -= 1
                fed.missed, fed.gaps = fed.missed + 1, fed.gaps + (not in_gap)
                in_gap = True
                continue
            leave_out, in_gap = 0, False
            due += _scan(at_s, begin_ns)
            fed.samples += 1
            if len(due) >= SCAN.size * _BATCH_S * self.rate_hz or number == total - 1:
                if paced:
                    left_s = at_s - (time.monotonic_ns() - begin_ns) / _NS
                    time.sleep(max(0.0, left_s))
                lost = len(due) - _sent(end, due)
                fed.samples -= lost // SCAN.size
                fed.missed += lost // SCAN.size
                fed.gaps += bool(lost)
                due.clear()
        os.close(end)
        fed.joules = joules(0.0, (total - 1) * period_s)
        return fed


def watts(at_s: float) -> float:
    """Return the power that is fed: a slow wave, and bursts as of handshakes."""
    burst = 1.5 if at_s % 1.3 < 0.2 else 0.0
    return 4.0 + 0.5 * math.sin(at_s) + burst


def joules(begin_s: float, end_s: float) -> float:
    """Return the exact energy that is fed between two times."""

    def until(at_s: float) -> float:
        whole, rest = divmod(at_s, 1.3)
        return 4.0 * at_s - 0.5 * math.cos(at_s) + 1.5 * (0.2 * whole + min(rest, 0.2))

    return until(end_s) - until(begin_s)


def _scan(at_s: float, begin_ns: int) -> bytes:
    bus = round(VOLTS / _BUS_V) << _SHIFT
    shunt = round(watts(at_s) / VOLTS * _SHUNT_OHM / _SHUNT_V)
    return SCAN.pack(shunt, bus, begin_ns + round(at_s * _NS))


def _sent(end: int, data: bytearray) -> int:
    """Return how much the buffer took; a write this small is taken whole or not at all."""
    try:
        return os.write(end, data)
    except BlockingIOError:
        return 0
