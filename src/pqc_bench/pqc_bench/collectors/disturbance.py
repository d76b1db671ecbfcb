# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Disturbances of a cell: other programs, a busy host, a CPU that changes its clock."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from pqc_testing.child import descendants

# The environment of all programs of a run that has several ends, with its name.
RUN_VARIABLE = "PQC_BENCH_RUN"

_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")
_KHZ_PER_MHZ = 1000.0
# Bits of a Raspberry Pi: frequency capped, throttled, soft temperature limit. They tell what limits
# it now, and 16 bits higher what has done so until the kernel's monitor of the voltage clears it.
_PI_LIMITS, _PI_SINCE = 0b1110, 16
_PI = "devices/platform/soc/soc:firmware/get_throttled"
# Between these moments a cell must not be disturbed: start and handshake, then traffic and rekey.
_WINDOWS = (("launched", "established"), ("traffic", "stopping"))


def snapshot(sys_root: Path = Path("/sys")) -> dict[str, Any]:
    """Return counters of the machine, and of this program with all others of its run here.

    Times are in CPU seconds since some moment in the past. `mhz` is the clock of the fastest core,
    None if the machine doesn't report it; `governors` are the rules by which the cores set theirs;
    `throttled` counts how often the CPU was slowed down; `firmware_limits` are the flags of a
    Raspberry Pi, None on other machines.
    """
    words = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]
    user, nice, system, idle, waiting, irq, soft_irq, stolen = (_TICK_S * int(w) for w in words)
    busy = user + nice + system + irq + soft_irq
    pids = _own_programs()
    cpus = sys_root / "devices/system/cpu"
    clocks = [int(text) for text in _texts(cpus, "cpu*/cpufreq/scaling_cur_freq")]
    throttled = sum(int(text) for text in _texts(cpus, "cpu*/thermal_throttle/core_throttle_count"))
    return {
        "busy_s": busy,
        "stolen_s": stolen,
        "total_s": busy + idle + waiting + stolen,
        "own_s": sum(map(_used_s, pids)),
        "processes": len(pids),
        "mhz": max(clocks) / _KHZ_PER_MHZ if clocks else None,
        "governors": sorted(set(_texts(cpus, "cpu*/cpufreq/scaling_governor"))),
        "throttled": throttled,
        "firmware_limits": _firmware_limits(sys_root),
    }


def disturbance(taken: dict[str, dict[str, Any]]) -> dict[str, Any] | None:
    """Return the members of the schema's `disturbance`; `taken` are snapshots by moment.

    The worse of the two windows counts; a Raspberry Pi that was limited at any moment adds 1 to
    `throttled`. None if a moment is missing.
    """
    if any(moment not in taken for window in _WINDOWS for moment in window):
        return None
    windows = [(taken[begin], taken[end]) for begin, end in _WINDOWS]
    total = [max(end["total_s"] - begin["total_s"], _TICK_S) for begin, end in windows]

    def share(*names: str) -> float:
        first, *less = names
        used = (
            end[first] - begin[first] - sum(end[name] - begin[name] for name in less)
            for begin, end in windows
        )
        return max(100.0 * max(s, 0.0) / of for s, of in zip(used, total, strict=True))

    clocks = [one["mhz"] for one in taken.values() if one["mhz"] is not None]
    governors = sorted({name for one in taken.values() for name in one["governors"]})
    return {
        "foreign_cpu_percent": share("busy_s", "own_s"),
        # The time of each process is exact to a tick.
        "foreign_cpu_resolution_percent": max(
            100.0 * _TICK_S * end["processes"] / of
            for (_, end), of in zip(windows, total, strict=True)
        ),
        "stolen_cpu_percent": share("stolen_s"),
        "slowest_mhz": min(clocks, default=None),
        "fastest_mhz": max(clocks, default=None),
        "governor": ", ".join(governors) or None,
        "throttled": windows[-1][1]["throttled"]
        - windows[0][0]["throttled"]
        + _was_limited([one["firmware_limits"] for one in taken.values()]),
    }


def _own_programs() -> set[int]:
    """Return this program, its children, and those of the run's other end if it is here, too."""
    own = {os.getpid(), *descendants(os.getpid())}
    mark = f"{RUN_VARIABLE}={os.environ.get(RUN_VARIABLE)}".encode()
    for environment in Path("/proc").glob("[0-9]*/environ") if RUN_VARIABLE in os.environ else ():
        with contextlib.suppress(OSError):
            if mark in environment.read_bytes().split(b"\0"):
                own.add(int(environment.parent.name))
    return own


def _was_limited(flags: Sequence[int | None]) -> bool:
    """Tell whether the flags, oldest first, say that something limited the CPU."""
    known = [one for one in flags if one is not None]
    since = [(later & ~earlier) >> _PI_SINCE for earlier, later in pairwise(known)]
    return any(one & _PI_LIMITS for one in (*known, *since))


def _firmware_limits(sys_root: Path) -> int | None:
    for text in _texts(sys_root, _PI):
        with contextlib.suppress(ValueError):
            return int(text, 16)
    return None


def _texts(folder: Path, pattern: str) -> list[str]:
    texts = []
    for file in folder.glob(pattern):
        with contextlib.suppress(OSError):
            texts.append(file.read_text(encoding="ascii").strip())
    return texts


def _used_s(pid: int) -> float:
    """Return the CPU time of a process and of its children that have ended."""
    with contextlib.suppress(OSError):
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        return _TICK_S * sum(map(int, text.rpartition(")")[2].split()[11:15]))
    return 0.0
