# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The usual traffic of both directions, learned from calm bins.

Where both ends' counts are known, what was sent is no secret of an attacker: its usual number is
followed freely, and the share that arrives has an absolute bound. Where only the received packets
are known, their number may leave its anchor by a share only.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from math import inf

from pqc_policy.sensing.traffic.baseline import Baseline, Limits
from pqc_policy.sensing.traffic.bins import Bin, Way


@dataclass(frozen=True, slots=True)
class Normal:
    """The normal traffic of one direction, per bin; None: not known yet."""

    sent: float | None = None  # datagrams
    received: float | None = None  # datagrams, where the number sent is not known
    spread: float | None = None  # standard deviation of `received`
    delivered: float = 1.0  # share of what was sent


@dataclass(frozen=True, slots=True)
class Usual:
    """The normal traffic of both directions."""

    up: Normal = Normal()
    down: Normal = Normal()

    def ways(self) -> tuple[Normal, Normal]:
        return self.up, self.down


# Bins from which the normal number of packets is learned, and how far back they reach.
_LEARNING_BINS = 50
# Largest share by which a learned number may leave its anchor, the number learned first.
_DRIFT = 0.25
# Share by which the anchor moves in a minute of calm traffic.
_ANCHOR_DRIFT_PER_MIN = 0.01
_USUAL_LOSS = 0.3  # Largest share of lost packets that may become normal
_WayLimits = tuple[Limits, Limits, Limits]  # of sent, received and delivered
_NOTHING = Baseline()


@dataclass(frozen=True, slots=True)
class _WayBaselines:
    sent: Baseline = _NOTHING
    received: Baseline = _NOTHING
    delivered: Baseline = _NOTHING

    def learned(self, way: Way, limits: _WayLimits, calm: bool) -> _WayBaselines:
        free, bounded, share = limits
        if way.sent is None:
            return replace(self, received=self.received.learned(way.received, bounded))
        delivered = self.delivered
        if calm and way.sent >= 1.0:
            delivered = delivered.learned(way.received / way.sent, share)
        # The sender's own number is authenticated: it is normal as soon as it lasts.
        return _WayBaselines(self.sent.learned(way.sent, free), self.received, delivered)


@dataclass(frozen=True, slots=True)
class UsualTraffic:
    """The state of what was learned."""

    up: _WayBaselines = field(default_factory=_WayBaselines)
    down: _WayBaselines = field(default_factory=_WayBaselines)

    def learned(self, newest: Bin, *, calm: bool) -> UsualTraffic:
        ways = []
        limits = _limits(newest.seconds)
        for baselines, way in ((self.up, newest.up), (self.down, newest.down)):
            known = way is not None and (calm or way.sent is not None)
            ways.append(baselines.learned(way, limits, calm) if known and way else baselines)
        return UsualTraffic(*ways)

    def known(self) -> Usual:
        return Usual(_normal(self.up), _normal(self.down))


@cache
def _limits(bin_s: float) -> _WayLimits:
    free = Limits(_LEARNING_BINS, inf, inf)
    return free, Limits(_LEARNING_BINS, _DRIFT, _ANCHOR_DRIFT_PER_MIN * bin_s / 60.0), free


def _normal(baselines: _WayBaselines) -> Normal:
    free, bounded, share = _limits(0.0)
    delivered = baselines.delivered.normal(share)
    return Normal(
        sent=baselines.sent.normal(free),
        received=baselines.received.normal(bounded),
        spread=baselines.received.spread(bounded),
        delivered=1.0 if delivered is None else min(max(delivered, 1.0 - _USUAL_LOSS), 1.0),
    )
