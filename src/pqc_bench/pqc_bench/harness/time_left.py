# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Estimates the remaining time of a long operation."""

from __future__ import annotations

import sys
import time

_EVERY_S = 10.0


def time_left(seconds: float | None) -> str:
    if seconds is None:
        return "time left unknown"
    if seconds < 90.0:
        return f"about {seconds:.0f} s left"
    minutes = round(seconds / 60.0)
    return f"about {minutes} min left" if minutes < 120 else f"about {minutes / 60:.1f} h left"


class FlightProgress:
    """Prints a line now and then, on standard error."""

    def __init__(self, flights: int) -> None:
        self._flights = flights
        self._began_s = self._printed_s = time.monotonic()

    def __call__(self, count: int) -> None:
        """Note that so many flights are done."""
        now_s = time.monotonic()
        if now_s - self._printed_s < _EVERY_S and count < self._flights:
            return
        self._printed_s = now_s
        left_s = self.seconds / count * (self._flights - count)
        print(f"{count}/{self._flights} flights, {time_left(left_s)}", file=sys.stderr, flush=True)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began_s
