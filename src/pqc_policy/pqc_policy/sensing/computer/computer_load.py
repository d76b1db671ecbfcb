# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads load, memory, frequency and throttling of the computer from /proc and /sys.

What a computer doesn't tell is None, never zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from statistics import fmean

from pqc_policy.sensing.computer.sysfs import read_int, read_text

_CPU = Path("devices/system/cpu")
# Bits 0 to 3 of a Raspberry Pi tell what limits it now, the others what did since the start.
_FIRMWARE = Path("devices/platform/soc/soc:firmware/get_throttled")
_LIMITED_NOW = 0xF
_CPU_COOLERS = ("cpufreq", "processor", "cpu-")
_IDLE, _WAITING = 3, 4  # columns of /proc/stat, in which no core works
_ACCOUNTED = 8  # columns; those after it are counted in others, too


class Throttled(IntEnum):
    """The constants of ComputerLoad."""

    UNKNOWN = 0
    NO = 1
    YES = 2


@dataclass(frozen=True, slots=True)
class Ticks:
    """The work of all cores since the start, in ticks of the kernel."""

    busy: int
    all: int
    cores: int
    throttles: int | None = None  # events since the start, where they are counted


@dataclass(frozen=True, slots=True)
class Load:
    """The computer between two readings."""

    load: float | None = None  # share of all cores, 0 to 1
    cores: int = 0
    memory: float | None = None  # share in use, 0 to 1
    frequency_hz: float | None = None  # mean of the cores
    highest_frequency_hz: float | None = None
    throttled: Throttled = Throttled.UNKNOWN

    @property
    def known(self) -> bool:
        return self != Load()


def read_load(proc: Path, sys: Path, before: Ticks | None) -> tuple[Load, Ticks | None]:
    """Return the load since an earlier reading, and the reading for the next call."""
    ticks = _ticks(proc, sys)
    share = None
    if ticks is not None and before is not None and ticks.all > before.all:
        share = (ticks.busy - before.busy) / (ticks.all - before.all)
        share = min(max(share, 0.0), 1.0)
    return (
        Load(
            load=share,
            cores=ticks.cores if ticks is not None else 0,
            memory=_memory(proc),
            frequency_hz=_mean_hz(sys, "scaling_cur_freq"),
            highest_frequency_hz=_mean_hz(sys, "cpuinfo_max_freq"),
            throttled=_throttled(sys, ticks, before),
        ),
        ticks,
    )


def _ticks(proc: Path, sys: Path) -> Ticks | None:
    text = read_text(proc / "stat")
    if text is None:
        return None
    lines = [line.split() for line in text.splitlines() if line.startswith("cpu")]
    try:
        numbers = [int(word) for word in lines[0][1 : _ACCOUNTED + 1]]
        idle = numbers[_IDLE] + numbers[_WAITING]
    except (IndexError, ValueError):
        return None
    return Ticks(sum(numbers) - idle, sum(numbers), len(lines) - 1, _throttle_events(sys))


def _memory(proc: Path) -> float | None:
    text = read_text(proc / "meminfo")
    entries = dict(line.split(":", 1) for line in (text or "").splitlines() if ":" in line)
    try:
        total, available = (int(entries[n].split()[0]) for n in ("MemTotal", "MemAvailable"))
    except (KeyError, IndexError, ValueError):
        return None
    return min(max(1.0 - available / total, 0.0), 1.0) if total > 0 else None


def _mean_hz(sys: Path, name: str) -> float | None:
    kilohertz = [read_int(file) for file in sorted((sys / _CPU).glob(f"cpu[0-9]*/cpufreq/{name}"))]
    known = [1000.0 * value for value in kilohertz if value is not None and value > 0]
    return fmean(known) if known else None


def _throttled(sys: Path, ticks: Ticks | None, before: Ticks | None) -> Throttled:
    flags = read_text(sys / _FIRMWARE)
    try:
        if flags is not None:
            return _answer(int(flags, 16) & _LIMITED_NOW != 0)
    except ValueError:
        pass
    states = [
        state
        for device in sorted((sys / "class" / "thermal").glob("cooling_device*"))
        if any(word in (read_text(device / "type") or "").lower() for word in _CPU_COOLERS)
        and (state := read_int(device / "cur_state")) is not None
    ]
    if any(states):
        return Throttled.YES
    now = ticks.throttles if ticks is not None else None
    then = before.throttles if before is not None else None
    if now is not None and then is not None:
        return _answer(now > then)
    return Throttled.NO if states else Throttled.UNKNOWN


def _throttle_events(sys: Path) -> int | None:
    files = (sys / _CPU).glob("cpu[0-9]*/thermal_throttle/core_throttle_count")
    counts = [count for file in files if (count := read_int(file)) is not None]
    return sum(counts) if counts else None


def _answer(yes: bool) -> Throttled:
    return Throttled.YES if yes else Throttled.NO
