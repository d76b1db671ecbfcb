# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The link in the direction of this end, and the offset of the other end's clock."""

from __future__ import annotations

from typing import NamedTuple

_BLACKOUT_S = 1.0
_U32_MAX = (1 << 32) - 1


class LinkView(NamedTuple):
    """The body of a LINK_REPORT: up to `loss_ppm` of the window (but jitter), then of all time."""

    window_us: int
    packets_per_1000_s: int
    bytes_per_s: int
    gap_p95_us: int
    longest_silence_us: int
    jitter_us: int
    loss_ppm: int
    blackouts: int
    packets: int
    lost: int
    reordered: int
    duplicates: int


class LinkMeter:
    """Measures arrivals; the window is the time since the last report."""

    def __init__(self) -> None:
        self.packets = self.lost = self.reordered = self.duplicates = self.blackouts = 0
        self._jitter = 0.0
        self._last_arrival: float | None = None
        self._last_gap: float | None = None
        self._window_start = 0.0
        self._gaps: list[float] = []
        self._bytes = self._packets_before = self._lost_before = 0

    def note(self, size: int, skipped: int, now: float) -> None:
        """Record an authenticated packet; `skipped` is the result of ReplayWindow.commit."""
        self.packets += 1
        self._bytes += size
        self.lost += skipped
        self.reordered += skipped < 0
        if self._last_arrival is None:
            self._window_start = now
        else:
            gap = now - self._last_arrival
            self._gaps.append(gap)
            self.blackouts += gap > _BLACKOUT_S
            if self._last_gap is not None:
                self._jitter += (abs(gap - self._last_gap) - self._jitter) / 16
            self._last_gap = gap
        self._last_arrival = now

    def report(self, now: float) -> LinkView:
        """Return the figures of the window so far and start a new window."""
        if self._last_arrival is None:
            return LinkView(*[0] * 12)
        window = max(now - self._window_start, 1e-6)
        packets, lost = self.packets - self._packets_before, self.lost - self._lost_before
        gaps = sorted([*self._gaps, now - self._last_arrival])
        p95 = gaps[min(len(gaps) - 1, len(gaps) * 95 // 100)]
        view = LinkView(
            window_us=_u32(window * 1e6),
            packets_per_1000_s=_u32(packets / window * 1e3),
            bytes_per_s=_u32(self._bytes / window),
            gap_p95_us=_u32(p95 * 1e6),
            longest_silence_us=_u32(gaps[-1] * 1e6),
            jitter_us=_u32(self._jitter * 1e6),
            loss_ppm=_u32(lost / (packets + lost) * 1e6) if lost > 0 else 0,
            blackouts=self.blackouts,
            packets=self.packets,
            lost=max(self.lost, 0),
            reordered=self.reordered,
            duplicates=self.duplicates,
        )
        self._window_start, self._gaps, self._bytes = now, [], 0
        self._packets_before, self._lost_before = self.packets, self.lost
        return view


class Clock:
    """Round-trip time and the offset of the peer's clock, from TIME_REQ and TIME_RSP."""

    def __init__(self) -> None:
        self.rtt_s: float | None = None
        self.offset_ns: int | None = None
        self._best_rtt_ns: int | None = None

    def note(self, t1: int, t2: int, t3: int, t4: int) -> None:
        """Record one exchange; the quickest exchange has the best offset."""
        rtt = (t4 - t1) - (t3 - t2)
        if t4 < t1 or t3 < t2 or rtt < 0:
            return
        seconds = rtt / 1e9
        self.rtt_s = seconds if self.rtt_s is None else self.rtt_s + (seconds - self.rtt_s) / 8
        if self._best_rtt_ns is None or rtt <= self._best_rtt_ns:
            self._best_rtt_ns = rtt
            self.offset_ns = ((t2 - t1) + (t3 - t4)) // 2


def _u32(value: float) -> int:
    return min(max(round(value), 0), _U32_MAX)
