# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The advisor node without ROS: it judges both directions of the traffic by their counters."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace

from pqc_policy.policy.inputs import Verdict
from pqc_policy.sensing.advisor import AdvisorState
from pqc_policy.sensing.advisor_settings import AdvisorSettings
from pqc_policy.sensing.traffic import REASONS, Bin

from pqc_sim.closed_loop.sensed import ADVISOR_AGE_S

_NO_DROPS = SimpleNamespace(**dict.fromkeys((*REASONS, "queue_full"), 0))


@dataclass(frozen=True, slots=True)
class Counted:
    """Packets and losses of one direction since the start."""

    packets: int
    lost: int
    duplicates: int = 0
    reordered: int = 0
    window_s: float = 0.0  # the pace of the datagrams is not measured


@dataclass(frozen=True, slots=True)
class _Stamp:
    sec: int
    nanosec: int


@dataclass(frozen=True, slots=True)
class _Report:
    """What the advisor reads of a LinkReport."""

    stamp: _Stamp
    local: Counted
    remote_valid: bool
    remote_age_s: float
    remote: Counted
    clock_valid: bool = False
    paths: tuple[()] = ()


@dataclass(frozen=True, slots=True)
class _Status:
    """What it reads of a TunnelStatus."""

    stamp: _Stamp
    encrypted: bool
    traffic: SimpleNamespace
    since_heard_s: float = -1.0
    drops: SimpleNamespace = field(default_factory=lambda: _NO_DROPS)


class AdvisorFollower:
    """The advisor with its shipped settings."""

    def __init__(self) -> None:
        settings = AdvisorSettings()
        self._advisor, _ = settings.make_advisor()
        self._bins = settings.make_bins()
        self._stale_s: float = settings.stale_s
        self._state = AdvisorState()
        self._reported_s: float | None = None

    def take_status(self, time_s: float, sent: int, *, encrypted: bool) -> None:
        """Take how many datagrams the drone has sent until a time."""
        traffic = SimpleNamespace(cipher_out_packets=sent)
        self._judge(self._bins.take_status(_Status(_stamp(time_s), encrypted, traffic)))

    def take_link(
        self, time_s: float, local: Counted, remote: Counted | None, remote_age_s: float
    ) -> None:
        """Take the counts of a LinkReport; `remote` is what the ground has reported."""
        self._reported_s = time_s
        other = remote if remote is not None else local
        report = _Report(_stamp(time_s), local, remote is not None, remote_age_s, other)
        self._judge(self._bins.take_link(report))

    def verdict(self, now_s: float) -> tuple[float, Verdict | None]:
        """Return the time of the newest message before a whole second, and its verdict."""
        at_s = now_s - ADVISOR_AGE_S
        if self._reported_s is None or at_s - self._reported_s > self._stale_s:
            return at_s, None
        return at_s, self._state.verdict

    def _judge(self, bins: list[Bin]) -> None:
        for newest in bins:
            self._state = self._advisor.judged(self._state, newest)


def _stamp(time_s: float) -> _Stamp:
    second = int(time_s)
    return _Stamp(second, round((time_s - second) * 1e9))
