# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The interface of all collectors: start, sample periodically, stop and return the result."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import pairwise
from typing import Any

# The member of a result that describes the health of the collector.
HEALTH = "health"
# A collector is dead after so many intervals without a sample at the end of a cell, or after so
# large a part of a short cell, but not before so many intervals, which a busy machine may take.
_MISSED = 10
_SILENT_PART = 0.5
_LATE = 1.5
# It is dead, too, if it took at most this part of its samples.
_LEAST_PART = 0.5


class Collector(ABC):
    """Samples something while traffic flows; use it as start, sample ..., stop."""

    name = ""
    # Whether it collects once, at the start.
    static = False

    def __init__(
        self, interval_s: float = 0.2, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Take the interval of `sample` calls, in s."""
        self._interval_s = interval_s
        self._clock = clock
        self._began = 0.0
        self._taken: list[float] = []

    def start(self) -> None:
        """Begin; earlier events do not count."""
        self._taken = []
        self._began = self._clock()
        self._begin()

    def sample(self) -> None:
        """Look now; nothing that goes wrong here ends the cell."""
        try:
            took = self._look()
        except (OSError, ValueError):
            took = False
        if took:
            self._taken.append(self._clock())

    def stop(self) -> dict[str, Any]:
        """Sample once more, and return the result with its `health`."""
        self.sample()
        now = self._clock()
        try:
            found = self._result()
        except (OSError, ValueError):
            found = {}
        return {**found, HEALTH: self._health(now)}

    def _begin(self) -> None:  # noqa: B027 - some have no past
        """Forget earlier samples."""

    @abstractmethod
    def _look(self) -> bool:
        """Take a sample; False if there is nothing to be had."""

    @abstractmethod
    def _result(self) -> dict[str, Any]:
        """Return the result."""

    def _health(self, now: float) -> dict[str, Any]:
        taken = self._taken
        if self.static or not taken:
            return {"samples": len(taken), "longest_gap_ms": None, "alive": bool(taken)}
        gaps = [after - before for before, after in pairwise([self._began, *taken, now])]
        watched, interval = now - self._began, self._interval_s
        patience = max(min(_MISSED * interval, _SILENT_PART * watched), _LATE * interval)
        return {
            "samples": len(taken),
            "longest_gap_ms": 1000.0 * max(gaps),
            "alive": gaps[-1] <= patience and len(taken) >= _LEAST_PART * watched / interval,
        }
