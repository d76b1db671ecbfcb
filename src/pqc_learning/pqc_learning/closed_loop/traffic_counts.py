# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The drone's counters of its traffic, from the record of the flight less what was never sent."""

from __future__ import annotations

from math import inf, nextafter

from pqc_sim.tunnel.quiet import Quiet

from pqc_learning.closed_loop.air_record import AirRecord


class _Unsent:
    """Counts the datagrams in times of quiet, once each time has ended."""

    def __init__(self, times: Quiet) -> None:
        self._times = times
        self._counted = 0
        self._offered = self._passed = 0

    def until(self, air: AirRecord, now_s: float) -> tuple[int, int]:
        """Return of all datagrams until a time those not sent, and those of them that passed."""
        starts, ends = self._times.start_s, self._times.end_s
        if self._counted == len(starts):
            return self._offered, self._passed
        # The last one may still grow.
        while self._counted < len(starts) - 1 and ends[self._counted] <= now_s:
            start_s, end_s = starts[self._counted], ends[self._counted]
            self._offered += air.offered(start_s, end_s)
            self._passed += air.passed(start_s, end_s)
            self._counted += 1
        offered, passed = self._offered, self._passed
        for start_s, end_s in zip(starts[self._counted :], ends[self._counted :], strict=True):
            if start_s < now_s:
                offered += air.offered(start_s, min(end_s, now_s))
                passed += air.passed(start_s, min(end_s, now_s))
        return offered, passed


class TrafficCounts:
    """Counts since the start of the flight."""

    def __init__(self, up: AirRecord, down: AirRecord, quiet: Quiet, stopped: Quiet) -> None:
        """Count the drone's datagrams but for its `quiet`, the ground's but for `stopped`."""
        self._up, self._down = up, down
        self._stopped = stopped
        self._unsent_up, self._unsent_down = _Unsent(quiet), _Unsent(stopped)

    def sent(self, now_s: float) -> int:
        """Return how many datagrams the drone has sent."""
        return self._up.offered(0.0, now_s) - self._unsent_up.until(self._up, now_s)[0]

    def received(self, now_s: float) -> tuple[int, int]:
        """Return how many the drone has received, and how many it knows to be lost.

        A receiver misses a datagram only when a later one arrives: in an outage the losses stand
        still, and are counted at its end.
        """
        until_s = nextafter(self._newest_received_s(now_s), inf)
        unsent, unsent_passed = self._unsent_down.until(self._down, until_s)
        received = self._down.passed(0.0, until_s) - unsent_passed
        return received, self._down.offered(0.0, until_s) - unsent - received

    def _newest_received_s(self, now_s: float) -> float:
        newest_s = self._down.newest_passed(now_s)
        while (start_s := self._stopped.before(newest_s)) < newest_s:
            newest_s = self._down.newest_passed(start_s)
        return newest_s
