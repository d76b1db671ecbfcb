# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What one end of a load sent and received, on its own disk: a time and the datagram.

Times are in ns of CLOCK_BOOTTIME, the clock that the tunnels compare.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from pathlib import Path

SENT, RECEIVED = "sent.log", "received.log"
_HEAD = struct.Struct("=qHH")  # time, length of the datagram, length of what is kept
# A program may be interrupted between two of them.
_READINGS = 3


def now_ns() -> int:
    """Return the time of the tunnels' clock."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def ahead_of_wall_ns() -> int:
    """Return this clock minus that of the day, from the readings that lie closest together."""
    readings = []
    for _ in range(_READINGS):
        before, wall, after = now_ns(), time.time_ns(), now_ns()
        readings.append((after - before, (before + after) // 2 - wall))
    return min(readings)[1]


class TrafficLog:
    """Writes one direction; OSError if the disk is full."""

    def __init__(self, file: Path) -> None:
        self._file = file.open("wb", buffering=1 << 18)
        self.count = 0

    def note(self, at_ns: int, length: int, kept: bytes) -> None:
        """Write a datagram, or what stands for it."""
        self._file.write(_HEAD.pack(at_ns, length, len(kept)) + kept)
        self.count += 1

    def close(self) -> None:
        self._file.close()


def read_log(file: Path) -> Iterator[tuple[int, int, bytes]]:
    """Yield time, length and what was kept of each datagram; an incomplete last one is left out."""
    content = memoryview(file.read_bytes()) if file.is_file() else memoryview(b"")
    at = 0
    while at + _HEAD.size <= len(content):
        at_ns, length, kept = _HEAD.unpack_from(content, at)
        at += _HEAD.size
        if at + kept > len(content):
            return
        yield at_ns, length, bytes(content[at : at + kept])
        at += kept
