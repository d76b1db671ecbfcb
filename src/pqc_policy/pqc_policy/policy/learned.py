# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The experience of this flight with rekeys, beside what the profile predicts.

Of each suite: how long the drone itself worked on its handshakes, and for how long the data stopped
after its rekeys. Round trips are not learned: an attacker who delays them would choose the suite.
The profile counts like some samples of its own, and no sample more than a bound, so that one bad
moment changes little. Only the newest samples count, and none after blacklist_s; those of stopped
data, which a jammer can cause, end blackout_blacklist_s after the newest of them. What was learned
excludes neither the suite in use nor the last one (see blacklist.py).
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
# The newest samples count, at most so many.
NEWEST = 8
# The drone's work counts for at most so many times the predicted one, and this many seconds.
_MOST_FACTOR, _MOST_S = 10.0, 0.05
# The window of a link report: so long after a switch its silence may be that of the switch.
WATCH_S = 5.0


@dataclass(frozen=True, slots=True)
class Samples:
    """The newest samples, each the time at which it was taken and a value, both in s."""

    newest: tuple[tuple[float, float], ...] = ()

    def added(self, at_s: float, value_s: float) -> Samples:
        """Return them with another one."""
        return Samples((*self.newest, (at_s, value_s))[-NEWEST:])

    def since(self, start_s: float) -> Samples:
        """Return those that were taken after a time."""
        if not self.newest or self.newest[0][0] > start_s:
            return self
        return Samples(tuple(sample for sample in self.newest if sample[0] > start_s))

    @property
    def count(self) -> int:
        """Return how many there are."""
        return len(self.newest)

    @property
    def mean_s(self) -> float:
        """Return their mean; 0 without any."""
        return sum(value for _, value in self.newest) / max(self.count, 1)

    def blended(self, predicted_s: float) -> float:
        """Return the expected value, with the prediction as PRIOR samples."""
        return (PRIOR * predicted_s + self.count * self.mean_s) / (PRIOR + self.count)

    @property
    def error_s(self) -> float:
        """Return the standard error of the mean; 0 for fewer than two samples."""
        if self.count < 2:
            return 0.0
        squares = sum((value - self.mean_s) ** 2 for _, value in self.newest)
        return sqrt(squares / (self.count - 1) / self.count)


@dataclass(frozen=True, slots=True)
class OfSuite:
    """The samples of one suite."""

    work: Samples = Samples()
    interruptions: Samples = Samples()

    def since(self, start_s: float, stopped_since_s: float) -> OfSuite:
        """Return the samples that were taken after a time; itself if these are all.

        Those of stopped data count only with one that was taken after `stopped_since_s`.
        """
        work, interruptions = self.work.since(start_s), self.interruptions.since(start_s)
        if interruptions.count and interruptions.newest[-1][0] <= stopped_since_s:
            interruptions = Samples()
        if work is self.work and interruptions is self.interruptions:
            return self
        return OfSuite(work, interruptions)


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
        drone_s = seen.work.blended(predicted.drone_s)
        return replace(
            predicted,
            drone_s=drone_s,
            handshake_s=max(predicted.handshake_s - predicted.drone_s, 0.0) + drone_s,
            interruption_s=seen.interruptions.blended(predicted.interruption_s),
        )

    def surely_interrupts(self, suite: str, predicted: Cost, limit_s: float) -> bool:
        """Return whether experience, less its error, exceeds the limit."""
        seen = self.suites.get(suite)
        if seen is None or seen.interruptions.count == 0:
            return False
        expected_s = seen.interruptions.blended(predicted.interruption_s)
        return expected_s - seen.interruptions.error_s > limit_s


def forgotten(learned: Learned, profile: str, *, since_s: float, stopped_since_s: float) -> Learned:
    """Return what still counts: with the same profile, and taken after these times."""
    if learned.profile != profile:
        return Learned(profile)
    kept = {name: one.since(since_s, stopped_since_s) for name, one in learned.suites.items()}
    if all(kept[name] is one for name, one in learned.suites.items()):
        return learned
    left = {name: one for name, one in kept.items() if one.work.count or one.interruptions.count}
    return replace(learned, suites=MappingProxyType(left))


def renewed(learned: Learned, session: Session, predicted: Cost, now_s: float) -> Learned:
    """Take over the drone's work for keys that were just made, and begin to watch the data."""
    if session.work_s is not None:
        most_s = _MOST_FACTOR * predicted.drone_s + _MOST_S
        learned = _with(learned, session.suite, now_s, work_s=min(session.work_s, most_s))
    if learned.silence_s is None:
        return replace(learned, watch=None)
    return replace(learned, watch=Watch(session.suite, now_s, learned.silence_s))


def watched(learned: Learned, link: Link | None, now_s: float) -> Learned:
    """Follow the silence after a rekey; at its end it is a sample."""
    silence_s = link.longest_silence_s if link is not None else None
    watch = learned.watch
    if silence_s != learned.silence_s:
        learned = replace(learned, silence_s=silence_s)
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
    work_s: float | None = None,
    interruption_s: float | None = None,
) -> Learned:
    seen = learned.suites.get(suite, OfSuite())
    if work_s is not None:
        seen = replace(seen, work=seen.work.added(now_s, work_s))
    if interruption_s is not None:
        seen = replace(seen, interruptions=seen.interruptions.added(now_s, interruption_s))
    return replace(learned, suites=MappingProxyType({**learned.suites, suite: seen}))
