# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Waiting times that double, each spread by a fifth so that many drones do not act in step."""

from __future__ import annotations

import random


class Backoff:
    """Waits that grow from a first one to a longest one, in s."""

    def __init__(self, first: float, longest: float) -> None:
        self._first, self._longest = first, longest
        self.reset()

    def reset(self) -> None:
        self._current = self._first
        self.tries = 0

    def next(self) -> float:
        wait = self._current * random.uniform(0.8, 1.2)
        self._current = min(2 * self._current, self._longest)
        self.tries += 1
        return wait


def control_retries() -> Backoff:
    """Return the waits between repetitions of a hello or a control message."""
    return Backoff(0.25, 2.0)
