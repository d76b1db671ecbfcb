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
_PATIENCE_S = 0.5  # of a sender that knows nothing
# The rate is sure, for a while, after two sections of so many bytes or seconds that come equally
# fast, and of so many round trips where these are long.
_SECTION_BYTES, _SECTION_S, _SURE_S = 32_000, 0.25, 120.0
_SECTION_TRIPS, _SHORT_TRIP_S = 3.0, 0.02
# Until then it is unknown before so many bytes, and after them that of the fastest round trip.
# What comes together within a time says nothing, once something has lasted longer.
_LEAST_BYTES, _SHORTEST_TRIP_S, _CLUSTER_S = 40_000, 0.1, 0.05


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
    _bytes: float = 0.0  # of all trains
    _train_bytes: float = 0.0  # that follow each other, and in which time
    _train_s: float = 0.0
    _trip_bytes: float = 0.0  # the same of a round trip under way, and the fastest of the train
    _trip_s: float = 0.0
    _fastest: float = 0.0
    _before: float = 0.0  # bytes/s, by former trains that lasted
    _lasted: float = 0.0  # the same with this one
    _full_bytes: float = 0.0
    _sure_until_s: float = -inf

    def is_sure(self, now_s: float) -> bool:
        """Return whether a sender has filled the link lately."""
        return now_s < self._sure_until_s

    @property
    def was_sure(self) -> bool:
        return self._sure_until_s > -inf

    def begin_train(self) -> None:
        self._train_bytes = self._train_s = self._full_bytes = 0.0
        self._trip_bytes = self._trip_s = self._fastest = 0.0
        self._before = self._lasted

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
        # The first part of a train only starts the clock.
        first = not self._train_bytes
        took_s = window.took_s
        if first:
            size_after = max(size - PART_BYTES, 0.0)
            together = self.window == FIRST_WINDOW
            took_s = size_after / capacity + window.spread_s if together else took_s
        else:
            size_after = size
        self._bytes += size
        self._train_bytes += size_after
        self._train_s += took_s
        self._note_trip(size_after, took_s, trip_s)
        lasts = self._train_s >= _CLUSTER_S
        if self._train_bytes > PART_BYTES and (lasts or not self._before):
            rate = max(self._before, self._train_bytes / self._train_s, self._fastest)
            self._lasted = rate if lasts else self._lasted
            if self.was_sure or self._bytes >= _LEAST_BYTES:
                self.bytes_s = rate
        self.fills = self.window >= capacity * trip_s
        self._full_bytes = self._full_bytes + size if self.fills else 0.0
        section = min(_SECTION_BYTES, _SECTION_S * capacity)
        if trip_s > _SHORT_TRIP_S:
            section = max(section, _SECTION_TRIPS * trip_s * capacity)
        if self._full_bytes >= 2.0 * section:
            self.bytes_s = self._before = self._lasted = capacity
            self._sure_until_s = now_s + _SURE_S
        if not self.fills:
            # It was silent for too long before the first acknowledgement, and sends less.
            silent = self.window == FIRST_WINDOW and trip_s > _PATIENCE_S
            self.window = _GROWTH * size + (2.0 * PART_BYTES if silent else self.window)

    def _note_trip(self, size: float, took_s: float, trip_s: float) -> None:
        self._trip_bytes += size
        self._trip_s += took_s
        if self._trip_s + 0.5 * trip_s >= max(trip_s, _SHORTEST_TRIP_S):
            self._fastest = max(self._fastest, self._trip_bytes / self._trip_s)
            self._trip_bytes = self._trip_s = 0.0
