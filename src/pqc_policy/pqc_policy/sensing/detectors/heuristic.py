# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Detectors turn the newest bins of traffic into a score: 0 for normal traffic, 1 for an attack.

A package of its own may add one as an entry point (sensing/detector_plugins.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import log, sqrt
from typing import Protocol, runtime_checkable

from pqc_policy.sensing.detectors.finding import Attack, Finding
from pqc_policy.sensing.traffic.bins import Bin, Way
from pqc_policy.sensing.traffic.usual_traffic import Normal, Usual

# Measured on a radio link: packets in a bin of 0.6 s.
NORMAL_PACKETS = 32.0
ATTACK_PACKETS = 14.0
# A surge of traffic that the other end says it has sent is no attack on the link: only who has the
# keys can send it.
_OWN_SURGE = 0.8
_MOST_BINS = 50  # that are added up on a link with little traffic
_SIGMAS = 3.0  # a smaller deviation is chance
_WAYS = ("the peer receives", "we receive")


@runtime_checkable
class Detector(Protocol):
    """Scores bins."""

    @property
    def name(self) -> str:
        """The name in messages and in the parameters."""

    @property
    def bins(self) -> int:
        """The number of bins that it needs, and gets at most."""

    def judge(self, bins: Sequence[Bin], usual: Usual) -> Finding | None:
        """Return what it finds in the newest bins, oldest first; None if it can't tell."""


@dataclass(frozen=True)
class Heuristic:
    """Scores how far the datagrams that arrive are below those sent, or from the usual number."""

    window: int = 5  # Bins that are averaged
    # Share of the normal packets at which the score is 1.
    attack_share: float = ATTACK_PACKETS / NORMAL_PACKETS
    surge: float = 10.0  # Multiple of the normal packets at which the score of a surge is 1
    # Packets sent from which a share is computed; over more bins if there are fewer.
    least_packets: int = 8

    @property
    def name(self) -> str:
        return "heuristic"

    @property
    def bins(self) -> int:
        return max(self.window, _MOST_BINS)

    def judge(self, bins: Sequence[Bin], usual: Usual) -> Finding | None:
        """Return the worst finding of both directions; None if nothing is known of either."""
        found = [one for of_way in self.of_ways(bins, usual) for one in of_way]
        return max(found, key=lambda finding: finding.score, default=None)

    def of_ways(self, bins: Sequence[Bin], usual: Usual) -> list[list[Finding]]:
        """Return what it finds in each direction, up first."""
        found: list[list[Finding]] = []
        for index, normal in enumerate(usual.ways()):
            known = (way for each in reversed(bins) if (way := each.ways()[index]) is not None)
            newest = [*islice(known, self.window)]
            enough = len(newest) == self.window and bins[-1].ways()[index] is not None
            found.append(self._of_way(newest, known, normal, _WAYS[index]) if enough else [])
        return found

    def _of_way(
        self, newest: Sequence[Way], older: Iterator[Way], normal: Normal, who: str
    ) -> list[Finding]:
        """Return what it finds in the ways of one direction, newest first."""
        sums = self._sums(chain(newest, older))
        if sums is None:
            return self._of_received(newest, normal, who)
        received, sent = sums
        found = []
        if sent >= self.least_packets:
            share = received / sent / normal.delivered
            found.append(
                Finding(
                    self._low(share), Attack.LOSS, f"{who} {received:.0f} of {sent:.0f} datagrams"
                )
            )
        if normal.sent is not None:
            mean = sum(way.sent or 0.0 for way in reversed(newest)) / len(newest)
            score = min(self._high(mean / normal.sent), _OWN_SURGE)
            found.append(Finding(score, Attack.SURGE, _compared(who, mean, normal.sent)))
        return found

    def _sums(self, newest_first: Iterable[Way]) -> tuple[float, float] | None:
        """Return datagrams received and sent; None if the sent ones are not known."""
        received = sent = 0.0
        for number, way in enumerate(newest_first):
            if way.sent is None:
                return None if number < self.window else (received, sent)
            if number >= self.window and sent >= self.least_packets:
                break
            received, sent = received + way.received, sent + way.sent
        return received, sent

    def _of_received(self, ways: Sequence[Way], normal: Normal, who: str) -> list[Finding]:
        if normal.received is None or normal.spread is None:
            return []
        mean = sum(way.received for way in reversed(ways)) / len(ways)
        share = mean / normal.received
        low, high = self._low(share), self._high(share)
        # However much the number varies, that does not hide more than a score of 0.5.
        chance = min(
            _SIGMAS * normal.spread / sqrt(len(ways)),
            0.5 * (1.0 - self.attack_share) * normal.received,
        )
        if abs(mean - normal.received) < chance:
            low = high = 0.0
        kind = Attack.FALL if low >= high else Attack.SURGE
        return [Finding(max(low, high), kind, _compared(who, mean, normal.received))]

    def _low(self, share: float) -> float:
        return min(max((1.0 - share) / (1.0 - self.attack_share), 0.0), 1.0)

    def _high(self, share: float) -> float:
        """Return 0 up to twice the normal number, 1 at the surge; in between by orders."""
        return min(max(log(share / 2.0) / log(self.surge / 2.0), 0.0), 1.0) if share > 2.0 else 0.0


def _compared(who: str, mean: float, normal: float) -> str:
    return f"{who} {mean:.1f} datagrams in a bin, {normal:.1f} are normal"


@dataclass(frozen=True)
class Counters:
    """Scores datagrams that the tunnel drops and nobody sends in a normal flight.

    Each rate in Hz is the one at which the score is 1.
    """

    window: int = 5  # Bins over which the rates are computed
    auth_fail_hz: float = 5.0  # datagrams with a wrong tag
    replay_hz: float = 10.0  # datagrams received before
    duplicates_hz: float = 10.0  # our datagrams that the peer had before
    malformed_hz: float = 10.0  # datagrams of no known form
    unknown_hz: float = 20.0  # datagrams with no known key
    seq_old_hz: float = 20.0  # datagrams below the replay window
    stale_hz: float = 50.0  # datagrams that waited too long
    foreign_hz: float = 10.0  # plaintext from strangers on this machine

    @property
    def name(self) -> str:
        return "counters"

    @property
    def bins(self) -> int:
        return self.window

    def judge(self, bins: Sequence[Bin], usual: Usual) -> Finding | None:
        """Return the worst finding of all counters; None if no counter is known."""
        limits = (
            ("auth_fail", self.auth_fail_hz, Attack.FORGERY),
            ("decrypt_fail", self.auth_fail_hz, Attack.FORGERY),
            ("replay", self.replay_hz, Attack.REPLAY),
            ("duplicates", self.duplicates_hz, Attack.REPLAY),
            ("malformed", self.malformed_hz, Attack.FLOOD),
            ("unknown", self.unknown_hz, Attack.FLOOD),
            ("seq_old", self.seq_old_hz, Attack.REPLAY),
            ("stale", self.stale_hz, Attack.FLOOD),
            ("foreign", self.foreign_hz, Attack.FLOOD),
        )
        worst: Finding | None = None
        for reason, most_per_s, kind in limits:
            known = [each for each in bins if reason in each.dropped]
            if not known:
                continue
            counts = [each.dropped[reason] for each in known]
            if worst is not None and not any(counts):
                continue
            per_s = sum(counts) / sum(each.seconds for each in known)
            score = min(per_s / most_per_s, 1.0)
            if worst is None or score > worst.score:
                worst = Finding(score, kind, f"{per_s:.1f} datagrams/s are dropped as {reason}")
        return worst
