# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Energy of parts of a trace, with what it is uncertain by."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import stats

from pqc_bench.power.trace import Array, Trace

# A longer gap is not bridged by a straight line between its ends: what happened in it is unknown.
LONGEST_BRIDGE_S = 0.02
# Windows of the idle time that show how much its energy varies.
_BLOCKS = 8
_CONFIDENCE = 0.95
# Samples that may be missing at the edge of a span.
_EDGE = 2.0
_SMALL_J = 1e-3  # shown in mJ


@dataclass(frozen=True)
class Span:
    """A time in a trace, in s of it."""

    begin_s: float
    end_s: float

    @property
    def seconds(self) -> float:
        return self.end_s - self.begin_s


@dataclass(frozen=True)
class Energy:
    """Energy in J with a 95 % interval; one below `resolution_j` (None: unknown) may be none.

    `bridged_share` of its time are gaps that were bridged, `uncovered_share` longer ones, whose
    time counts with the mean power of the rest.
    """

    joules: float
    low_j: float
    high_j: float
    resolution_j: float | None
    seconds: float
    bridged_share: float
    uncovered_share: float

    @property
    def is_below(self) -> bool:
        return self.resolution_j is not None and abs(self.joules) < self.resolution_j

    @property
    def words(self) -> str:
        if self.resolution_j is not None and self.is_below:
            return f"below {_joules(self.resolution_j, 2)}"
        return _joules(self.joules, 3)


def _joules(energy_j: float, digits: int) -> str:
    small = abs(energy_j) < _SMALL_J
    return f"{energy_j * (1e3 if small else 1.0):.{digits}g} {'mJ' if small else 'J'}"


@dataclass(frozen=True)
class Idle:
    """The power that flows without the work: its mean, and how the energy of a window varies."""

    span: Span
    mean_w: float
    block_s: float
    deviation_j: float  # of the energy of windows of `block_s`

    def deviation_of(self, seconds: float) -> float:
        """Return the standard deviation of the energy of a window and of the mean's share, in J."""
        own = self.deviation_j * (seconds / self.block_s) ** 0.5
        of_mean = self.deviation_j / self.block_s / _BLOCKS**0.5 * seconds
        return float(np.hypot(own, of_mean))


class EnergyOfTrace:
    """Integrates a trace: momentary powers by the trapezoidal rule, means as steps."""

    def __init__(self, trace: Trace, longest_bridge_s: float = LONGEST_BRIDGE_S) -> None:
        """Take a trace, and the longest gap to bridge; intervals of a slow sensor are none."""
        self._at, self._watts, self._averages = trace.seconds, trace.power_w, trace.averages
        steps = np.diff(self._at)
        gap = trace.missed[1:] > 0
        # A counter of energy has counted in a gap, too.
        longest_s = np.inf if self._averages else max(longest_bridge_s, 1.5 * trace.interval_s)
        covered = np.where(steps <= longest_s, steps, 0.0)
        heights = self._watts[1:] if self._averages else (self._watts[1:] + self._watts[:-1]) / 2.0
        self._joules = np.concatenate([[0.0], np.cumsum(covered * heights)])
        self._covered = np.concatenate([[0.0], np.cumsum(covered)])
        self._bridged = np.concatenate([[0.0], np.cumsum(np.where(gap, covered, 0.0))])
        self._step_w, self._step_j = trace.number("step_w"), trace.number("step_j")
        self._interval_s = trace.interval_s

    def covers(self, span: Span) -> bool:
        """Return whether the trace has samples from the begin to the end of a span."""
        edge_s = _EDGE * self._interval_s
        return bool(
            len(self._at) > 1
            and self._at[0] - edge_s <= span.begin_s
            and span.end_s <= self._at[-1] + edge_s
        )

    def mean_w(self, span: Span) -> float:
        """Return the mean power of the covered part of a span; NaN without one."""
        covered = self._between(self._covered, span)
        return self._joules_of(span) / covered if covered > 0.0 else float("nan")

    def idle(self, span: Span) -> Idle:
        """Return the power of a span without work."""
        edges = np.linspace(span.begin_s, span.end_s, _BLOCKS + 1)
        block_s = span.seconds / _BLOCKS
        means = np.array([self.mean_w(Span(*pair)) for pair in pairwise(edges)])
        deviation_w = float(np.std(means[np.isfinite(means)], ddof=1))
        return Idle(span, self.mean_w(span), block_s, deviation_w * block_s)

    def energy(self, span: Span, idle: Idle | None = None) -> Energy:
        """Return the energy of a span; with `idle`, what is above its power.

        The interval comes from the energies of windows of the idle time, or of the span itself.
        """
        quiet = idle or self.idle(span)
        joules = self.mean_w(span) * span.seconds - (idle.mean_w * span.seconds if idle else 0.0)
        deviation_j = (
            quiet.deviation_of(span.seconds)
            if idle
            else quiet.deviation_j * (span.seconds / quiet.block_s) ** 0.5
        )
        half_j = float(stats.t.ppf((1.0 + _CONFIDENCE) / 2.0, _BLOCKS - 1)) * deviation_j
        # Work may begin and end anywhere between two samples.
        edges_j = self._interval_s * abs(joules) / span.seconds if idle else 0.0
        whole_j = float(np.hypot(half_j, edges_j))
        step_j = self._step_of(span.seconds)
        covered = self._between(self._covered, span)
        return Energy(
            joules=float(joules),
            low_j=float(joules - whole_j),
            high_j=float(joules + whole_j),
            resolution_j=(max(step_j, half_j) if idle else step_j) or None,
            seconds=span.seconds,
            bridged_share=self._between(self._bridged, span) / span.seconds,
            uncovered_share=max(0.0, 1.0 - covered / span.seconds),
        )

    def _step_of(self, seconds: float) -> float:
        """Return the energy of the smallest step of the sensor over so long a time, in J."""
        if self._step_j is not None:
            return self._step_j
        return (self._step_w or 0.0) * max(seconds, self._interval_s)

    def _between(self, cumulated: Array, span: Span) -> float:
        begin, end = np.interp([span.begin_s, span.end_s], self._at, cumulated)
        return float(end - begin)

    def _joules_of(self, span: Span) -> float:
        return self._joules_until(span.end_s) - self._joules_until(span.begin_s)

    def _joules_until(self, at_s: float) -> float:
        after = int(np.searchsorted(self._at, at_s))
        if after in (0, len(self._at)):
            return float(self._joules[min(after, len(self._joules) - 1)])
        before, step_s = after - 1, self._at[after] - self._at[after - 1]
        into_s = at_s - self._at[before]
        if self._covered[after] == self._covered[before]:
            return float(self._joules[before])
        if self._averages:
            return float(self._joules[before] + into_s * self._watts[after])
        slope = (self._watts[after] - self._watts[before]) / step_s
        return float(self._joules[before] + into_s * (self._watts[before] + slope * into_s / 2.0))
