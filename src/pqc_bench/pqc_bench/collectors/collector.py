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
# A collector is dead if it took no sample in the last _MISSED intervals of a cell, or in the last
# _SILENT_PART of a short cell. It is never dead within _LATE intervals: a machine may be busy.
_MISSED = 10
_SILENT_PART = 0.5
_LATE = 1.5
# A collector is also dead if it took less than this part of its samples.
_LEAST_PART = 0.5


class Collector(ABC):
    """Samples a source while traffic flows: call start, then sample periodically, then stop."""

    name = ""
    # True if it collects once, at the start.
    static = False

    def __init__(
        self, interval_s: float = 0.2, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Take the interval of `sample` calls, in s."""
        self.interval_s = interval_s
        self._clock = clock
        self._began = 0.0
        self._taken: list[float] = []

    def start(self) -> None:
        self._taken = []
        self._began = self._clock()
        self._begin()

    def sample(self) -> None:
        """Take a sample; an error of the source does not end the cell."""
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

    def _begin(self) -> None:  # noqa: B027 - some keep no samples
        """Forget earlier samples."""

    @abstractmethod
    def _look(self) -> bool:
        """Take a sample; return False if the source provides none."""

    @abstractmethod
    def _result(self) -> dict[str, Any]:
        """Return the result."""

    def _health(self, now: float) -> dict[str, Any]:
        taken = self._taken
        if self.static or not taken:
            return {"samples": len(taken), "longest_gap_ms": None, "alive": bool(taken)}
        gaps = [after - before for before, after in pairwise([self._began, *taken, now])]
        watched, interval = now - self._began, self.interval_s
        patience = max(min(_MISSED * interval, _SILENT_PART * watched), _LATE * interval)
        return {
            "samples": len(taken),
            "longest_gap_ms": 1000.0 * max(gaps),
            "alive": gaps[-1] <= patience and len(taken) >= _LEAST_PART * watched / interval,
        }
