# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What rekeys have shown in this flight, beside what the profile predicts.

Of each suite: how long its handshakes took, and for how long the data stopped after its rekeys. The
profile counts like some samples of its own, and no sample more than a bound, so that one bad moment
changes little; a jammer can make a suite look slow, but what was learned is forgotten after
blacklist_s, and never excludes the last suite (see blacklist.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import sqrt
from types import MappingProxyType
from typing import TYPE_CHECKING

from pqc_policy.policy.profile import Cost

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pqc_policy.policy.inputs import Link, Session

# The profile's prediction counts like so many samples.
PRIOR = 3
# A handshake counts for at most so many times the predicted one, and this many seconds.
_MOST_FACTOR, _MOST_S = 10.0, 1.0
# The window of a link report: so long after a switch its silence may be that of the switch.
WATCH_S = 5.0


@dataclass(frozen=True, slots=True)
class Samples:
    """The count, mean and sum of squared deviations of samples in s."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def added(self, value: float) -> Samples:
        """Return them with another one."""
        count = self.count + 1
        mean = self.mean + (value - self.mean) / count
        return Samples(count, mean, self.squares + (value - self.mean) * (value - mean))

    def blended(self, predicted: float) -> float:
        """Return the expected value, with the prediction as PRIOR samples."""
        return (PRIOR * predicted + self.count * self.mean) / (PRIOR + self.count)

    @property
    def error(self) -> float:
        """Return the standard error of the mean; 0 for fewer than two samples."""
        if self.count < 2:
            return 0.0
        return sqrt(self.squares / (self.count - 1) / self.count)


@dataclass(frozen=True, slots=True)
class OfSuite:
    """The samples of one suite."""

    handshakes: Samples = Samples()
    interruptions: Samples = Samples()
    newest_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Watch:
    """A rekey whose effect on the data is being watched."""

    suite: str
    since_s: float
    usual_s: float  # the longest silence before it
    longest_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Learned:
    """Everything that was learned with one profile."""

    profile: str = ""
    suites: Mapping[str, OfSuite] = field(default_factory=lambda: MappingProxyType({}))
    watch: Watch | None = None
    silence_s: float | None = None  # the longest of the newest link report

    def cost(self, suite: str, predicted: Cost) -> Cost:
        """Return the cost of a suite by prediction and experience."""
        seen = self.suites.get(suite)
        if seen is None:
            return predicted
        return replace(
            predicted,
            handshake_s=seen.handshakes.blended(predicted.handshake_s),
            interruption_s=seen.interruptions.blended(predicted.interruption_s),
        )

    def surely_interrupts(self, suite: str, predicted: Cost, limit_s: float) -> bool:
        """Return whether experience, less its error, exceeds the limit."""
        seen = self.suites.get(suite)
        if seen is None or seen.interruptions.count == 0:
            return False
        return seen.interruptions.blended(predicted.interruption_s) - seen.interruptions.error > (
            limit_s
        )


def forgotten(learned: Learned, profile: str, now_s: float, after_s: float) -> Learned:
    """Return what still counts: with the same profile, and not for too long."""
    if learned.profile != profile:
        return Learned(profile)
    kept = {name: one for name, one in learned.suites.items() if now_s - one.newest_s < after_s}
    if len(kept) == len(learned.suites):
        return learned
    return replace(learned, suites=MappingProxyType(kept))


def renewed(learned: Learned, session: Session, predicted: Cost, now_s: float) -> Learned:
    """Take over the handshake of keys that were just made, and begin to watch the data."""
    if session.handshake_s is not None:
        most_s = _MOST_FACTOR * predicted.handshake_s + _MOST_S
        learned = _with(learned, session.suite, now_s, handshake_s=min(session.handshake_s, most_s))
    if learned.silence_s is None:
        return replace(learned, watch=None)
    return replace(learned, watch=Watch(session.suite, now_s, learned.silence_s))


def watched(learned: Learned, link: Link | None, now_s: float) -> Learned:
    """Follow the silence after a rekey; at its end it is a sample."""
    silence_s = link.longest_silence_s if link is not None else None
    learned, watch = replace(learned, silence_s=silence_s), learned.watch
    if watch is None:
        return learned
    if silence_s is not None:
        watch = replace(watch, longest_s=max(watch.longest_s, silence_s))
    if now_s - watch.since_s <= WATCH_S:
        return replace(learned, watch=watch)
    stopped_s = max(watch.longest_s - watch.usual_s, 0.0)
    learned = _with(learned, watch.suite, now_s, interruption_s=min(stopped_s, 2.0 * WATCH_S))
    return replace(learned, watch=None)


def _with(
    learned: Learned,
    suite: str,
    now_s: float,
    *,
    handshake_s: float | None = None,
    interruption_s: float | None = None,
) -> Learned:
    seen = learned.suites.get(suite, OfSuite())
    if handshake_s is not None:
        seen = replace(seen, handshakes=seen.handshakes.added(handshake_s))
    if interruption_s is not None:
        seen = replace(seen, interruptions=seen.interruptions.added(interruption_s))
    seen = replace(seen, newest_s=now_s)
    return replace(learned, suites=MappingProxyType({**learned.suites, suite: seen}))
