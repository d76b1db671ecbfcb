# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The time of a run in the file of a meter, by the pattern of load at its start and end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import signal

from pqc_bench.power.trace import Array, Trace, TraceFault

# The finest grid on which the pattern is sought, in s.
_FINEST_S = 1e-3
# A correlation that neither noise nor the load of a cell reaches.
_LEAST = 0.6
# Two quartz clocks differ by less than this.
_MOST_DRIFT = 500e-6
_PPM = 1e6


@dataclass(frozen=True)
class Alignment:
    """Run's time = `offset_s` + (1 + `drift`) x meter's time."""

    offset_s: float
    drift: float
    correlation: float  # of the worse of the patterns, 1 for the same

    @property
    def drift_ppm(self) -> float:
        return _PPM * self.drift

    def aligned(self, trace: Trace) -> Trace:
        """Return a meter's trace in the time of the run."""
        at_s = self.offset_s + (1.0 + self.drift) * trace.seconds
        facts = {**trace.facts, "monotonic_s": f"{at_s[0]:.9f}"}
        return Trace(at_s - at_s[0], trace.power_w, trace.missed, facts)


def align(trace: Trace, bits: Sequence[int], step_s: float, begins_s: Sequence[float]) -> Alignment:
    """Find the patterns that began at these times of the run; TraceFault if they aren't there.

    With one pattern the drift of the clocks is not known and counts as none.
    """
    grid_s = max(_FINEST_S, trace.interval_s)
    likeness = _likeness(trace, bits, step_s, grid_s)
    first_s, last_s = min(begins_s), max(begins_s)
    apart_s = last_s - first_s
    peaks, _ = signal.find_peaks(
        likeness, height=_LEAST, distance=max(1, round(len(bits) * step_s / grid_s / 2.0))
    )
    if not len(peaks):
        raise TraceFault("the meter's file doesn't have the pattern of the run's start and end")
    if apart_s == 0.0:
        best = peaks[np.argmax(likeness[peaks])]
        at_s = trace.seconds[0] + grid_s * _refined(likeness, best)
        return Alignment(first_s - at_s, 0.0, float(likeness[best]))
    slack = (_MOST_DRIFT * apart_s + 2.0 * step_s) / grid_s
    pairs = [
        (min(likeness[a], likeness[b]), a, b)
        for a in peaks
        for b in peaks
        if abs((b - a) - apart_s / grid_s) <= slack
    ]
    if not pairs:
        raise TraceFault("the meter's file has the pattern of the run's start or end, not both")
    worse, a, b = max(pairs)
    begin_s, end_s = (trace.seconds[0] + grid_s * _refined(likeness, peak) for peak in (a, b))
    drift = apart_s / (end_s - begin_s) - 1.0
    return Alignment(first_s - (1.0 + drift) * begin_s, drift, float(worse))


def _likeness(trace: Trace, bits: Sequence[int], step_s: float, grid_s: float) -> Array:
    """Return the correlation coefficient of the pattern with the power from each time on."""
    count = max(1, int((trace.seconds[-1] - trace.seconds[0]) / grid_s))
    power = np.interp(trace.seconds[0] + grid_s * np.arange(count), trace.seconds, trace.power_w)
    steps = np.floor(np.arange(0.0, len(bits) * step_s - 1e-9, grid_s) / step_s).astype(int)
    pattern = np.asarray(bits, dtype=float)[np.minimum(steps, len(bits) - 1)]
    pattern -= pattern.mean()
    size = len(pattern)
    if size >= count:
        raise TraceFault("the meter's file is shorter than the pattern of the run's start")
    power -= power.mean()
    products = signal.correlate(power, pattern, mode="valid", method="fft")
    sums = np.concatenate([[0.0], np.cumsum(power)])
    squares = np.concatenate([[0.0], np.cumsum(power**2)])
    mean = (sums[size:] - sums[:-size]) / size
    spread = np.sqrt(np.maximum((squares[size:] - squares[:-size]) / size - mean**2, 1e-18))
    return products / (size * pattern.std() * spread)


def _refined(likeness: Array, peak: int) -> float:
    """Return the top of a peak between the points of the grid.

    The likeness of rectangles falls in straight lines on both sides: their crossing is the top.
    """
    before, top, after = (
        likeness[min(max(peak + step, 0), len(likeness) - 1)] for step in (-1, 0, 1)
    )
    fall = max(top - before, top - after)
    return float(peak) + (float((after - before) / (2.0 * fall)) if fall > 0.0 else 0.0)
