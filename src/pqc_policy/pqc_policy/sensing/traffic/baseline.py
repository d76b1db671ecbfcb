# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Learns what is normal, robustly and within bounds.

An attacker who changes the traffic slowly must not become normal: the median of recent values may
leave the anchor only by a share, and the anchor itself moves slowly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, sqrt
from statistics import median

_MAD_TO_SIGMA = 1.4826  # of a normal distribution


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits within which a baseline may change; shares are of the anchor."""

    values: int = 50  # it is learned from
    drift: float = 0.25  # between median and anchor
    anchor_drift: float = 0.0001  # of the anchor with each value


@dataclass(frozen=True, slots=True)
class Baseline:
    """The state of one baseline."""

    recent: tuple[float, ...] = ()
    anchor: float | None = None
    middle: float = 0.0  # median of the recent ones, where there is an anchor

    def learned(self, value: float, limits: Limits) -> Baseline:
        """Return the baseline after a value that is not suspicious."""
        recent = (*self.recent, value)[-limits.values :]
        if len(recent) < limits.values:
            return replace(self, recent=recent)
        middle = median(recent)
        if self.anchor is None or limits.anchor_drift == inf:
            return Baseline(recent, middle, middle)
        step = limits.anchor_drift * self.anchor
        anchor = self.anchor + min(max(middle - self.anchor, -step), step)
        return Baseline(recent, anchor, middle)

    def normal(self, limits: Limits) -> float | None:
        """Return the normal value, above 0; None if it is not known yet."""
        if self.anchor is None or self.anchor <= 0.0:
            return None
        if limits.drift == inf:
            return self.middle
        low, high = self.anchor * (1.0 - limits.drift), self.anchor * (1.0 + limits.drift)
        return min(max(self.middle, low), high)

    def spread(self, limits: Limits) -> float | None:
        """Return the standard deviation of a count, at least that of a random one."""
        normal = self.normal(limits)
        if normal is None:
            return None
        deviation = median(abs(value - self.middle) for value in self.recent)
        return max(_MAD_TO_SIGMA * deviation, sqrt(normal))
