# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Decides which service calls get a line in the log: any node of the graph may call at any rate."""

from __future__ import annotations

BURST = 5  # more than a person makes
EACH_S = 10.0


class CallLog:
    """Counts the calls without a line; times are in s of one clock."""

    def __init__(self) -> None:
        self._lines, self._at_s = float(BURST), 0.0
        self._untold = 0

    def line(self, text: str, now_s: float) -> str | None:
        """Return the line for a call, with the number of those before it that got none."""
        self._lines = min(BURST, self._lines + (now_s - self._at_s) / EACH_S)
        self._at_s = now_s
        if self._lines < 1.0:
            self._untold += 1
            return None
        self._lines -= 1.0
        more, self._untold = self._untold, 0
        return f"{text} ({more} calls before it have no line.)" if more else text
