# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The figures of the link that are no counts, from the newest messages: pace, RTT, paths."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Pace:
    """The arrival of one direction's datagrams over the last few seconds; times in s."""

    gap_p95_s: float
    longest_silence_s: float
    jitter_s: float
    mean_bytes: float  # of a datagram; 0 if none arrived


@dataclass(frozen=True, slots=True)
class PathNow:
    name: str
    up: bool
    carries: bool
    rtt_s: float | None  # None: not probed
    loss: float | None  # of the probes, 0 to 1


@dataclass(frozen=True, slots=True)
class LinkNow:
    """The newest figures; None where nothing was measured."""

    up: Pace | None = None  # of our datagrams, as the peer reports
    down: Pace | None = None
    rtt_s: float | None = None
    paths: tuple[PathNow, ...] = ()
    reported_s: float | None = None  # when the peer's report arrived
    heard_s: float | None = None  # since the peer's newest datagram, at the newest status

    def with_report(self, report: Any, time_s: float) -> LinkNow:
        valid = report.remote_valid
        return replace(
            self,
            up=_pace(report.remote) if valid else self.up,
            down=_pace(report.local),
            rtt_s=report.rtt_s if report.clock_valid else None,
            paths=tuple(_path(path) for path in report.paths),
            reported_s=time_s - report.remote_age_s if valid else self.reported_s,
        )

    def with_status(self, status: Any) -> LinkNow:
        heard_s = status.since_heard_s if status.since_heard_s >= 0.0 else None
        return self if heard_s == self.heard_s else replace(self, heard_s=heard_s)

    def report_s(self, now_s: float) -> float | None:
        """Return the age of the peer's newest report in s."""
        return None if self.reported_s is None else max(now_s - self.reported_s, 0.0)


def _pace(view: Any) -> Pace | None:
    if view.window_s <= 0.0:
        return None
    mean_bytes = view.bytes_per_s / view.packets_per_s if view.packets_per_s > 0.0 else 0.0
    return Pace(view.gap_p95_s, view.longest_silence_s, view.jitter_s, mean_bytes)


def _path(path: Any) -> PathNow:
    probed = path.rtt_s > 0.0
    return PathNow(
        path.link,
        path.state != "down",
        path.carries,
        path.rtt_s if probed else None,
        path.loss if probed else None,
    )
