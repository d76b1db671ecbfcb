# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What all collectors have in common: start, sample now and then, stop and tell."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import pairwise
from typing import Any

# As a member of what a collector tells: how well it did.
HEALTH = "health"
# A collector that was silent at its end for so many intervals has died; in a short cell already
# for so large a part of it, but never for what an interval and a busy machine explain.
_MISSED = 10
_SILENT_PART = 0.5
_LATE = 1.5
# So has one that gave no more than this part of the samples it should have given.
_LEAST_PART = 0.5


class Collector(ABC):
    """Samples something while traffic flows; use it as start, sample ..., stop."""

    name = ""
    # Facts are collected once.
    static = False

    def __init__(
        self, interval_s: float = 0.2, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Say how often `sample` is going to be called."""
        self._interval_s = interval_s
        self._clock = clock
        self._began = 0.0
        self._taken: list[float] = []

    def start(self) -> None:
        """Begin: what was before doesn't count."""
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
        """Look once more, and return what was found, with its `health`."""
        self.sample()
        now = self._clock()
        try:
            found = self._result()
        except (OSError, ValueError):
            found = {}
        return {**found, HEALTH: self._health(now)}

    def _begin(self) -> None:  # noqa: B027 - some have no past
        """Forget what was before."""

    @abstractmethod
    def _look(self) -> bool:
        """Take a sample; False if there is nothing to be had."""

    @abstractmethod
    def _result(self) -> dict[str, Any]:
        """Return what was found."""

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
