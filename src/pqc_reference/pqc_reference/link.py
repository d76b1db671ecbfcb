# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What an end sees of the link in its direction, and how far the other's clock is off."""

from __future__ import annotations

from typing import NamedTuple

_BLACKOUT_S = 1.0
_U32_MAX = (1 << 32) - 1


class LinkView(NamedTuple):
    """The body of a LINK_REPORT: of the window, but the last five and jitter of all time."""

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
    """Watches arrivals; the window is the time since the last report."""

    def __init__(self) -> None:
        """Begin with nothing received."""
        self.packets = self.lost = self.reordered = self.duplicates = self.blackouts = 0
        self._jitter = 0.0
        self._last_arrival: float | None = None
        self._last_gap: float | None = None
        self._began: float | None = None
        self._gaps: list[float] = []
        self._bytes = 0
        self._lost_before = 0
        self._packets_before = 0

    def note(self, size: int, skipped: int, now: float) -> None:
        """Note one authenticated packet, and what ReplayWindow.commit said of it."""
        self.lost += skipped
        if skipped < 0:
            self.reordered += 1
        self.packets += 1
        self._bytes += size
        if self._last_arrival is None:
            self._began = now
        else:
            gap = now - self._last_arrival
            self._gaps.append(gap)
            if gap > _BLACKOUT_S:
                self.blackouts += 1
            if self._last_gap is not None:
                self._jitter += (abs(gap - self._last_gap) - self._jitter) / 16
            self._last_gap = gap
        self._last_arrival = now

    def report(self, now: float) -> LinkView:
        """Return the window so far and begin a new one."""
        if self._last_arrival is None or self._began is None:
            return LinkView(*[0] * 12)
        window = max(now - self._began, 1e-6)
        packets, newly_lost = self.packets - self._packets_before, self.lost - self._lost_before
        gaps = sorted([*self._gaps, now - self._last_arrival])
        p95 = gaps[min(len(gaps) - 1, len(gaps) * 95 // 100)]
        sent = packets + max(newly_lost, 0)
        view = LinkView(
            window_us=_u32(window * 1e6),
            packets_per_1000_s=_u32(packets / window * 1e3),
            bytes_per_s=_u32(self._bytes / window),
            gap_p95_us=_u32(p95 * 1e6),
            longest_silence_us=_u32(gaps[-1] * 1e6),
            jitter_us=_u32(self._jitter * 1e6),
            loss_ppm=_u32(max(newly_lost, 0) / sent * 1e6) if sent else 0,
            blackouts=self.blackouts,
            packets=self.packets,
            lost=max(self.lost, 0),
            reordered=self.reordered,
            duplicates=self.duplicates,
        )
        self._began, self._gaps, self._bytes = now, [], 0
        self._lost_before, self._packets_before = self.lost, self.packets
        return view


class Clock:
    """Round-trip time and the offset of the peer's clock, from TIME_REQ and TIME_RSP."""

    def __init__(self) -> None:
        """Begin without samples."""
        self.rtt_s: float | None = None
        self.offset_ns: int | None = None
        self._best_rtt_ns: int | None = None

    def note(self, t1: int, t2: int, t3: int, t4: int) -> None:
        """Take one exchange; the offset of the quickest one is the surest."""
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
