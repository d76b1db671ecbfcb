# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The advisor node without ROS: it judges both directions of the traffic by their counters.

It judges by the rules: of what the learned detectors see, this loop has the counts of datagrams
alone, no pace, no round trip and no dropped ones.
"""

from __future__ import annotations

from copy import copy, deepcopy
from dataclasses import dataclass, field
from types import SimpleNamespace

from pqc_policy.policy.inputs import Verdict
from pqc_policy.sensing.advisor_settings import STALE_S, AdvisorSettings
from pqc_policy.sensing.detectors.advisor import AdvisorState
from pqc_policy.sensing.detectors.verdict_fields import attack_class
from pqc_policy.sensing.traffic.bins import REASONS, Bin, TrafficBins

from pqc_learning.closed_loop.sensed import ADVISOR_AGE_S

DETECTOR = "heuristic"
_KEPT_EVERY = 100  # messages
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
    """The fields of a LinkReport that the advisor reads."""

    stamp: _Stamp
    local: Counted
    remote_valid: bool
    remote_age_s: float
    remote: Counted
    clock_valid: bool = False
    paths: tuple[()] = ()


@dataclass(frozen=True, slots=True)
class _Status:
    """The fields of a TunnelStatus that the advisor reads."""

    stamp: _Stamp
    encrypted: bool
    traffic: SimpleNamespace
    since_heard_s: float = -1.0
    drops: SimpleNamespace = field(default_factory=lambda: _NO_DROPS)


Judged = tuple[Verdict, str]  # verdict and class of the attack; empty: none

# A message to the advisor: the time and the counts of a status, or of a report.
_Told = tuple[float, int, bool] | tuple[float, Counted, Counted | None, float]


class _Advisor:
    """The advisor with its shipped settings, but for the detector."""

    def __init__(self) -> None:
        settings = AdvisorSettings(detector=DETECTOR)
        self._advisor, _ = settings.make_advisor()
        self._bins = TrafficBins()
        self._state = AdvisorState()

    def copied(self) -> _Advisor:
        """Return one that goes on from here by itself."""
        other = copy(self)
        other._bins = deepcopy(self._bins)
        return other

    def verdict_after(self, told: _Told) -> Judged:
        for newest in self._bins_of(told):
            self._state = self._advisor.judged(self._state, newest)
        return self._state.verdict, attack_class(self._state)

    def _bins_of(self, told: _Told) -> list[Bin]:
        if len(told) == 3:
            time_s, sent, encrypted = told
            traffic = SimpleNamespace(cipher_out_packets=sent)
            return self._bins.take_status(_Status(_stamp(time_s), encrypted, traffic))
        time_s, local, remote, age_s = told
        other = remote if remote is not None else local
        return self._bins.take_link(
            _Report(_stamp(time_s), local, remote is not None, age_s, other)
        )


class AdvisorTrack:
    """The messages that the advisor has received in a flight, and its verdicts.

    The advisor judges equal messages once. All strategies share this track as long as their
    messages are equal; each that differs continues on a branch of its own.
    """

    def __init__(self, advisor: _Advisor | None = None) -> None:
        """Begin with an advisor, a new one if none is given."""
        self._advisor = advisor if advisor is not None else _Advisor()
        self._told: list[_Told] = []
        self._verdicts: list[Judged] = []
        self._kept: list[_Advisor] = []  # as they were before each _KEPT_EVERY messages
        self._branches: dict[tuple[int, _Told], AdvisorTrack] = {}

    def verdict(self, number: int) -> Judged:
        """Return the verdict after the message of this number."""
        return self._verdicts[number]

    def told(self, number: int, told: _Told) -> tuple[AdvisorTrack, int]:
        """Tell a message of this number; return the track that goes on with it, and its number."""
        if number == len(self._told):
            if number % _KEPT_EVERY == 0:
                self._kept.append(self._advisor.copied())
            self._told.append(told)
            self._verdicts.append(self._advisor.verdict_after(told))
        if self._told[number] == told:
            return self, number
        branch = self._branches.get((number, told))
        if branch is None:
            branch = self._branches[number, told] = AdvisorTrack(self._advisor_before(number))
        return branch.told(0, told)

    def _advisor_before(self, number: int) -> _Advisor:
        begun = number // _KEPT_EVERY
        advisor = self._kept[begun].copied()
        for told in self._told[begun * _KEPT_EVERY : number]:
            advisor.verdict_after(told)
        return advisor


class AdvisorFollower:
    def __init__(self, track: AdvisorTrack) -> None:
        self._track = track
        self._number = 0  # of the next message
        self._verdict: Judged = (Verdict.CLEAR, "")
        self._reported_s: float | None = None

    def take_status(self, time_s: float, sent: int, *, encrypted: bool) -> None:
        """Take how many datagrams the drone has sent until a time."""
        self._take((time_s, sent, encrypted))

    def take_link(
        self, time_s: float, local: Counted, remote: Counted | None, remote_age_s: float
    ) -> None:
        """Take the counts of a LinkReport; `remote` is what the ground has reported."""
        self._reported_s = time_s
        self._take((time_s, local, remote, remote_age_s))

    def verdict(self, now_s: float) -> tuple[float, Judged | None]:
        """Return the time of the newest message before a whole second, and what it judges."""
        at_s = now_s - ADVISOR_AGE_S
        if self._reported_s is None or at_s - self._reported_s > STALE_S:
            return at_s, None
        return at_s, self._verdict

    def _take(self, told: _Told) -> None:
        self._track, number = self._track.told(self._number, told)
        self._verdict = self._track.verdict(number)
        self._number = number + 1


def _stamp(time_s: float) -> _Stamp:
    second = int(time_s)
    return _Stamp(second, round((time_s - second) * 1e9))
