# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Matches delivered datagrams with sent ones, byte for byte, and times them."""

from __future__ import annotations

from collections import deque
from typing import Any

from pqc_bench.cell.distribution import distribution

_MS_PER_NS = 1e-6


class FlowMatch:
    """One direction; times in ns of one clock."""

    def __init__(self) -> None:
        self.offered = 0
        self.offered_octets = 0
        self.delivered = 0
        self.duplicated = 0
        self.corrupted = 0
        self.reordered = 0
        self.latencies_ms: list[float] = []
        # Equal datagrams are matched in their order.
        self._under_way: dict[bytes, deque[tuple[int, int, str]]] = {}
        self._arrived: set[bytes] = set()
        self._newest = -1
        self._last_ns: int | None = None
        self._window = ""
        self._windows: dict[str, dict[str, float]] = {}
        self.open_window("steady")

    def open_window(self, name: str) -> None:
        """Count datagrams sent, and gaps that end, from now on under this name."""
        self._window = name
        self._windows.setdefault(name, {"sent": 0, "received": 0, "longest_gap_ms": 0.0})

    def note_sent(self, datagram: bytes, now_ns: int) -> None:
        mark = (self.offered, now_ns, self._window)
        self._under_way.setdefault(datagram, deque()).append(mark)
        self.offered += 1
        self.offered_octets += len(datagram)
        self._windows[self._window]["sent"] += 1

    def forget_sent(self, datagram: bytes) -> None:
        """Remove the newest record of a datagram that the system did not accept."""
        _, _, window = self._under_way[datagram].pop()
        self.offered -= 1
        self.offered_octets -= len(datagram)
        self._windows[window]["sent"] -= 1

    def note_arrived(self, datagram: bytes, arrived_ns: int) -> None:
        """Match a received datagram with a sent one."""
        waiting = self._under_way.get(datagram)
        if not waiting:
            if datagram in self._arrived:
                self.duplicated += 1
            else:
                self.corrupted += 1
            return
        number, sent_ns, window = waiting.popleft()
        self._arrived.add(datagram)
        self.delivered += 1
        self.reordered += number < self._newest
        self._newest = max(self._newest, number)
        self.latencies_ms.append((arrived_ns - sent_ns) * _MS_PER_NS)
        self._windows[window]["received"] += 1
        if self._last_ns is not None:
            gap_ms = (arrived_ns - self._last_ns) * _MS_PER_NS
            current = self._windows[self._window]
            current["longest_gap_ms"] = max(current["longest_gap_ms"], gap_ms)
        self._last_ns = arrived_ns

    @property
    def under_way(self) -> int:
        """The number of datagrams that have not been delivered yet."""
        return self.offered - self.delivered

    @property
    def overtaken(self) -> bool:
        """Tell whether the last datagram sent came: any other missing one is late or lost."""
        return self._newest == self.offered - 1

    def windows(self) -> dict[str, dict[str, float]]:
        """Return sent, lost and longest_gap_ms of each window."""
        return {
            name: {
                "sent": int(counts["sent"]),
                "lost": int(counts["sent"] - counts["received"]),
                "longest_gap_ms": counts["longest_gap_ms"],
            }
            for name, counts in self._windows.items()
        }

    def as_dict(self) -> dict[str, Any]:
        gaps = [window["longest_gap_ms"] for window in self._windows.values()]
        return {
            "offered": self.offered,
            "offered_bytes": self.offered_octets,
            "delivered": self.delivered,
            "lost": self.under_way,
            "duplicated": self.duplicated,
            "reordered": self.reordered,
            "corrupted": self.corrupted,
            "longest_gap_ms": max(gaps),
        }

    def latency(self) -> dict[str, float | int | None]:
        return distribution(self.latencies_ms)
