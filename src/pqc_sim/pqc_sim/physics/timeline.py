# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A value over the time of a flight."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass


@dataclass(frozen=True)
class Timeline:
    """Straight lines between points (time in s, value); beyond the ends the value stays."""

    points: tuple[tuple[float, float], ...]

    def at(self, time_s: float) -> float:
        above = bisect_right(self.points, (time_s, float("inf")))
        if above == 0:
            return self.points[0][1]
        if above == len(self.points):
            return self.points[-1][1]
        (before_s, before), (after_s, after) = self.points[above - 1 : above + 1]
        return before + (after - before) * (time_s - before_s) / (after_s - before_s)


def steady(value: float) -> Timeline:
    return Timeline(((0.0, value),))


def line(*points: tuple[float, float]) -> Timeline:
    """Return a timeline through points of time in s and value."""
    return Timeline(points)
