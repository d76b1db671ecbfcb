# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""How many datagrams a second arrive, from summaries that are rewritten now and then."""

from __future__ import annotations

from collections import deque
from typing import Any

_WINDOW = 4


class Rate:
    """The rate of received datagrams over the last few summaries of one program."""

    def __init__(self) -> None:
        """Nothing seen yet."""
        self._points: deque[tuple[float, int]] = deque(maxlen=_WINDOW)

    def update(self, summary: dict[str, Any]) -> float | None:
        """Take in the newest summary; return the rate in Hz, or None while it's unknown."""
        if "received" in summary:
            point = (summary["uptime_s"], summary["received"]["datagrams"])
            if not self._points or point[0] > self._points[-1][0]:
                self._points.append(point)
        if len(self._points) < 2:
            return None
        (began, before), (ended, after) = self._points[0], self._points[-1]
        return (after - before) / (ended - began)
