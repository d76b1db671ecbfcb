# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The traffic of the encrypted link in short bins, from the totals that the tunnel reports.

Three sources have times of their own: the peer's count of our datagrams, our count of the peer's,
and our counters. A bin is complete when each of them covers it, or has not done so for a while.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from pqc_policy.sensing.traffic.link_now import LinkNow, Pace, PathNow
from pqc_policy.sensing.traffic.totals import Totals

BIN_S = 0.6  # length of a bin
# Readings further apart tell nothing.
_LONGEST_GAP_S = 5.0
# Time for which a bin waits for the peer's report on it.
_WAIT_S = 2.0
# Counts of both ends may be of times as far apart as two reports and their way.
_APART_S = 2.5
# Datagrams dropped on arrival that nobody drops in a normal flight, as DropCounters names them.
REASONS = (
    "replay",
    "auth_fail",
    "seq_old",
    "decrypt_fail",
    "malformed",
    "unknown",
    "stale",
    "foreign",
)
DUPLICATES = "duplicates"  # of our datagrams, at the peer
_NONE: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Way:
    """One direction in one bin; counts are of datagrams without streams, fractions at its ends."""

    received: float
    sent: float | None = None  # None: not known
    reordered: float = 0.0  # of the received ones, came after one sent later
    pace: Pace | None = None  # None: not measured yet


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin; a direction is None if nothing reliable is known of it."""

    up: Way | None = None  # our datagrams, as the peer counts them
    down: Way | None = None  # the peer's, as we count them
    dropped: Mapping[str, float] = field(default_factory=lambda: _NONE)  # by reason
    seconds: float = BIN_S
    unsent: float | None = None  # our datagrams that found no room to be sent
    # These are of the newest messages when the bin became complete; None: not measured.
    rtt_s: float | None = None
    heard_s: float | None = None  # since the peer's newest datagram
    report_s: float | None = None  # since the peer's newest report
    paths: tuple[PathNow, ...] = ()

    def ways(self) -> tuple[Way | None, Way | None]:
        return self.up, self.down


class TrafficBins:
    """Turns LinkReport and TunnelStatus messages into bins."""

    def __init__(self) -> None:
        self._start_again()

    def _start_again(self) -> None:
        self._up, self._down, self._own = (Totals(_LONGEST_GAP_S) for _ in range(3))
        self._keyed: deque[tuple[float, bool]] = deque([(float("-inf"), True)])
        self._streams: tuple[float, int] | None = None  # as of the newest status
        self._streamed_s = (float("inf"), float("-inf"))  # from when to when the newest were sent
        self._link = LinkNow()
        self._number: int | None = None  # of the oldest bin that is not complete
        self._now_s = float("-inf")

    def take_link(self, report: Any, time_s: float | None = None) -> list[Bin]:
        """Take a LinkReport of a time, or of its stamp; return the bins that are now complete."""
        time_s = seconds(report.stamp) if time_s is None else time_s
        self._moved_to(time_s)
        self._link = self._link.with_report(report, time_s)
        local = report.local
        # Recordings of earlier versions do not count streams apart.
        streams = getattr(report, "local_streams", 0)
        counts = (local.packets, local.packets + local.lost, local.reordered, streams)
        self._down.put(time_s, counts, silence_is_gap=True)
        if report.remote_valid:
            remote = report.remote
            # Over several links the copies of a datagram are repeats, too.
            repeats = remote.duplicates if len(report.paths) <= 1 else 0
            self._up.put(
                time_s - report.remote_age_s,
                (remote.packets, remote.packets + remote.lost, remote.reordered, repeats),
            )
        return self._complete()

    def take_status(self, status: Any, time_s: float | None = None) -> list[Bin]:
        """Take a TunnelStatus of a time, or of its stamp; return the bins that are now complete."""
        time_s = seconds(status.stamp) if time_s is None else time_s
        self._moved_to(time_s)
        self._link = self._link.with_status(status)
        drops = tuple(getattr(status.drops, reason) for reason in REASONS)
        unsent = status.drops.queue_full
        sent = status.traffic.cipher_out_packets
        streams = getattr(status.traffic, "stream_out_packets", 0)
        self._note_streams(time_s, streams)
        self._own.put(time_s, (sent, sum(drops), unsent, streams, *drops))
        if self._keyed[-1][1] != status.encrypted:
            self._keyed.append((time_s, status.encrypted))
        return self._complete()

    def _note_streams(self, time_s: float, streams: int) -> None:
        before_s, before = self._streams if self._streams is not None else (time_s, streams)
        if streams > before:
            goes_on = before_s <= self._streamed_s[1] + _APART_S
            self._streamed_s = (self._streamed_s[0] if goes_on else before_s, time_s)
        self._streams = (time_s, streams)

    def _moved_to(self, time_s: float) -> None:
        if time_s < self._now_s - _LONGEST_GAP_S:
            self._start_again()  # the clock was set back
        self._now_s = max(self._now_s, time_s)
        if self._number is None or time_s - self._number * BIN_S > 60.0:
            self._number = int(time_s // BIN_S) + 1  # start with a whole bin

    def _complete(self) -> list[Bin]:
        assert self._number is not None
        done = []
        while True:
            start_s, end_s = self._number * BIN_S, (self._number + 1) * BIN_S
            if end_s > self._now_s or (self._now_s < end_s + _WAIT_S and not self._covered(end_s)):
                return done
            done.append(self._bin(start_s, end_s))
            self._number += 1
            for totals in (self._up, self._down, self._own):
                totals.forget_before(end_s)
            while len(self._keyed) > 1 and self._keyed[1][0] <= end_s:
                self._keyed.popleft()

    def _covered(self, end_s: float) -> bool:
        return all(
            totals.newest_s is not None and totals.newest_s >= end_s
            for totals in (self._up, self._down, self._own)
        )

    def _bin(self, start_s: float, end_s: float) -> Bin:
        own = self._own.between(start_s, end_s)
        up = self._up.between(start_s, end_s)
        down = self._down.between(start_s, end_s)
        dropped = dict(zip(REASONS, own[4:], strict=True)) if own is not None else {}
        if up is not None:
            dropped[DUPLICATES] = up[3]
        link, keyed = self._link, self._had_keys(start_s, end_s)
        streamed = (
            self._streamed_s[0] - _APART_S < end_s and start_s < self._streamed_s[1] + _APART_S
        )
        sent = (own[0], own[3]) if own is not None else None
        return Bin(
            up=_our_way(up, sent, link.up, streamed) if keyed else None,
            down=_their_way(down, link.down) if keyed and down is not None else None,
            dropped=dropped,
            seconds=BIN_S,
            unsent=own[2] if own is not None else None,
            rtt_s=link.rtt_s,
            heard_s=link.heard_s,
            report_s=link.report_s(self._now_s),
            paths=link.paths,
        )

    def _had_keys(self, start_s: float, end_s: float) -> bool:
        """Return whether our own end could send and receive for the whole bin."""
        at_start = True
        for since_s, keyed in self._keyed:
            if since_s <= start_s:
                at_start = keyed
            elif since_s < end_s and not keyed:
                return False
        return at_start


def _our_way(
    up: tuple[float, ...] | None,
    counted: tuple[float, float] | None,
    pace: Pace | None,
    streamed: bool,
) -> Way | None:
    """Return our direction, where `counted` is what we sent, and how much of it in streams.

    The peer counts losses only when a later datagram arrives.
    """
    if up is None:
        return None
    received, expected, reordered = up[:3]
    if counted is None:
        return Way(received, expected, reordered, pace)
    sent = counted[0]
    if streamed:
        # The peer's count, of its own times, has streams in it; how many is known of ours alone.
        data = max(sent - counted[1], 0.0)
        share = min(received / expected, 1.0) if expected > 0.0 else 0.0
        return Way(share * data, data, min(reordered, share * data), pace)
    if abs(expected - sent) <= 0.5 * sent:
        return Way(received, expected, reordered, pace)
    return Way(received, max(sent, received), reordered, pace)


def _their_way(down: tuple[float, ...], pace: Pace | None) -> Way:
    """Return the peer's direction; of what is lost as much was in streams as of what arrives."""
    received, expected, reordered, streams = down
    data = max(received - streams, 0.0)
    share = data / received if received > 0.0 else 1.0
    return Way(data, share * expected, min(reordered, data), pace)


def seconds(stamp: Any) -> float:
    return float(stamp.sec) + float(stamp.nanosec) / 1e9
