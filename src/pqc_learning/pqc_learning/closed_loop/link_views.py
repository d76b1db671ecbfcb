# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The reports of the ground station on the drone's datagrams, once a second.

The figures are those of physics.link_estimator. They are computed once for a flight, and again only
for the reports that follow a time in which the drone sent nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pqc_sim.physics.link_estimator import BLACKOUT_S, WINDOW_S
from pqc_sim.tunnel.quiet import Quiet

from pqc_learning.closed_loop.air_record import AirRecord

REPORT_AT_S = 0.17  # time of the report in each second
_QUANTILE = 0.95
_BEFORE_S = 120.0  # longest search back for the last datagram before a window
_RECENT = 8  # times of quiet that can matter in such a time


@dataclass(frozen=True, slots=True)
class View:
    """The figures of one report."""

    packets_per_s: float
    loss: float
    gap_p95_s: float
    longest_silence_s: float
    jitter_s: float
    new_blackouts: int  # silences over 1 s that ended since the report before
    silent: bool  # one has lasted for more than 1 s
    packets: int  # since the previous report, like `lost`
    lost: int


class LinkViews:
    """The reports of a flight; number k is made at k + REPORT_AT_S seconds."""

    def __init__(self, up: AirRecord, seconds: float) -> None:
        self._up = up
        gap_s = np.diff(up.arrival_s, prepend=0.0)
        self._usual = [
            self._view(number, up.arrival_s, up.sequence, gap_s)
            for number in range(int(seconds) + 1)
        ]

    def usual(self, number: int) -> View:
        """Return a report without any time in which the drone was quiet."""
        return self._usual[number]

    def after(self, number: int, quiet: Quiet, dropped: Quiet) -> View:
        """Return a report, given when the drone was quiet and when an adversary dropped all."""
        now_s = number + REPORT_AT_S
        start_s = now_s - WINDOW_S - 1.5
        if not (quiet.touches(start_s, now_s) or dropped.touches(start_s, now_s)):
            return self._usual[number]
        up = self._up
        first, last = np.searchsorted(up.arrival_s, (now_s - _BEFORE_S, now_s))
        sent_s, numbers = up.sent_s[first:last], up.sequence[first:last]
        heard = quiet.outside(sent_s) & dropped.outside(sent_s)
        arrival_s, numbers = up.arrival_s[first:last][heard], numbers[heard]
        before_s = arrival_s[0] if len(arrival_s) else now_s - _BEFORE_S
        gap_s = np.diff(arrival_s, prepend=before_s)
        # What the drone did not send is not lost.
        return self._view(number, arrival_s, numbers - self._unsent(numbers, quiet), gap_s)

    def _unsent(self, numbers: np.ndarray, quiet: Quiet) -> np.ndarray:
        """Return how many datagrams of the record before each one were not sent."""
        total = np.zeros(len(numbers), dtype=np.int64)
        for times in zip(quiet.start_s[-_RECENT:], quiet.end_s[-_RECENT:], strict=True):
            low, high = np.searchsorted(self._up.offered_s, times)
            total += np.clip(numbers - low, 0, high - low)
        return total

    def _view(
        self,
        number: int,
        arrival_s: np.ndarray,
        sequence: np.ndarray,
        gap_s: np.ndarray,
    ) -> View:
        now_s = number + REPORT_AT_S
        first, since, last = np.searchsorted(arrival_s, (now_s - WINDOW_S, now_s - 1.0, now_s))
        packets = int(last - first)
        heard_s = float(arrival_s[last - 1]) if last else 0.0
        silence_s = now_s - heard_s
        gaps = np.append(gap_s[first:last], silence_s)
        rank = int(np.ceil(_QUANTILE * len(gaps))) - 1
        loss = jitter_s = 0.0
        if packets:
            before = int(sequence[first - 1]) if first else int(sequence[first]) - 1
            expected = int(sequence[first:last].max()) - before
            loss = max(expected - packets, 0) / expected if expected > 0 else 0.0
            jitter_s = float(np.abs(np.diff(gaps[:-1])).mean()) if packets > 1 else 0.0
        newly = int(last - since)
        missed = 0
        if newly and since:
            missed = max(int(sequence[last - 1]) - int(sequence[since - 1]) - newly, 0)
        return View(
            packets_per_s=packets / WINDOW_S if now_s >= WINDOW_S else packets / max(now_s, 0.25),
            loss=loss,
            gap_p95_s=float(np.partition(gaps, rank)[rank]),
            longest_silence_s=float(gaps.max()),
            jitter_s=jitter_s,
            new_blackouts=int((gap_s[since:last] > BLACKOUT_S).sum()),
            silent=silence_s > BLACKOUT_S,
            packets=newly,
            lost=missed,
        )
