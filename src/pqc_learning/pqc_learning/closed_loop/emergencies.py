# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Emergencies of a flight, and whether the lightest suite was in use in time.

They go by what the sensors measure, even while the policy doesn't get it.
"""

from __future__ import annotations

from dataclasses import dataclass

IN_TIME_S = 5.0  # the limit of MAVLink's heartbeat
OVER_S = 30.0  # an emergency ends after so long without a sign
LOW_V = 3.5  # voltage of a cell
HOT_C = 80.0
LASTING_S = 2.0  # one sample is no emergency


@dataclass
class Emergencies:
    """Follows a flight second by second."""

    cells: int
    lightest_tier: int
    seen: int = 0
    met: int = 0
    _since_s: float | None = None  # it has been too low or too hot
    _sign_s: float | None = None
    _due_s: float | None = None

    def note(self, now_s: float, voltage_v: float, temperature_c: float, tier: int | None) -> None:
        """Take the readings of a second, and the tier of the suite in use; None: no session."""
        if voltage_v >= LOW_V * self.cells and temperature_c <= HOT_C:
            self._since_s = None
        elif self._since_s is None:
            self._since_s = now_s
        if self._since_s is not None and now_s - self._since_s >= LASTING_S:
            if self._sign_s is None or now_s - self._sign_s > OVER_S:
                self.seen += 1
                self._due_s = now_s + IN_TIME_S
            self._sign_s = now_s
        if self._due_s is not None:
            if tier is not None and tier <= self.lightest_tier:
                self.met += 1
                self._due_s = None
            elif now_s >= self._due_s:
                self._due_s = None

    def finish(self) -> None:
        """Forget an emergency whose time the end of the flight has cut short."""
        if self._due_s is not None:
            self.seen -= 1
            self._due_s = None
