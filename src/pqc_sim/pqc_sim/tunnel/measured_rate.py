# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The rate of a link as the parts of keys show it that come without a pace, a window at a time."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from pqc_sim.tunnel.exchange import FIRST_WINDOW, PART_BYTES

# A key of so many bytes measures the link.
LONG_KEY = 128_000
# Behind data the window grows by this share of what has arrived in a round trip.
_GROWTH = 0.25
_START_PACE = 1.35  # windows in a round trip: so fast leave the parts of one that is not the first
# The rate is sure, for a while, after two sections of so many bytes or seconds that come equally
# fast. What comes after a longer gap says nothing together with what came before.
_SECTION_BYTES, _SECTION_S, _GAP_S, _SURE_S = 32_000, 0.25, 0.25, 120.0


@dataclass(frozen=True, slots=True)
class Window:
    """Parts that came without a pace."""

    size: float  # bytes
    trip_s: float  # of a round trip
    took_s: float
    spread_s: float  # by which jitter spreads what leaves together


@dataclass
class MeasuredRate:
    """What the drone knows, and the window of the ground station."""

    bytes_s: float | None = None
    window: float = FIRST_WINDOW
    fills: bool = False  # whether the windows fill the link
    _train_bytes: float = 0.0  # that follow each other, and in which time
    _train_s: float = 0.0
    _full_bytes: float = 0.0
    _sure_until_s: float = -inf

    def is_sure(self, now_s: float) -> bool:
        """Return whether a sender has filled the link lately."""
        return now_s < self._sure_until_s

    def begin_train(self) -> None:
        """Take note of a pause."""
        self._train_bytes = self._train_s = self._full_bytes = 0.0

    def last_s(self, size: float, capacity: float, trip_s: float) -> float:
        """Return how long after a round trip the last part of a window arrives."""
        paced_s = trip_s / _START_PACE * size / self.window
        return max(size / capacity, paced_s if self.window != FIRST_WINDOW else 0.0)

    def take(self, window: Window, capacity: float, now_s: float) -> None:
        """Take a window that has arrived by a link of so many bytes/s.

        The parts of the first one leave together; each part of a later one has its moment of the
        round trip, so that alone they show no rate.
        """
        size, trip_s = window.size, window.trip_s
        alone = trip_s > _GAP_S and self.window != FIRST_WINDOW
        # The first part of a train only starts the clock.
        first = not self._train_bytes
        self._train_bytes += max(size - PART_BYTES, 0.0) if first else size
        at_once_s = self._train_bytes / capacity + window.spread_s
        self._train_s += at_once_s if first else window.took_s
        if self._train_bytes > PART_BYTES and self._sure_until_s == -inf and not alone:
            self.bytes_s = self._train_bytes / self._train_s
        self.fills = self.window >= capacity * trip_s
        self._full_bytes = self._full_bytes + size if self.fills else 0.0
        if self._full_bytes >= 2.0 * min(_SECTION_BYTES, _SECTION_S * capacity):
            self.bytes_s, self._sure_until_s = capacity, now_s + _SURE_S
        if not self.fills:
            self.window += _GROWTH * size
