# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the packet counter that the advisor judges from link reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

COUNTS = ("peer_received", "received")
# The age of the peer's report is measured each time, so that its time of origin varies a little.
_SAME_S = 0.05


@dataclass
class LinkCount:
    """Returns each reading of one counter once."""

    count: str = "peer_received"  # our packets at the peer, or received: the peer's at our end
    last_s: float | None = None

    def reading(self, report: Any) -> tuple[float, int] | None:
        """Return time in s and packets of a LinkReport; None if it contains nothing new."""
        time_s = report.stamp.sec + report.stamp.nanosec / 1e9
        if self.count == "received":
            packets = report.local.packets
        elif report.remote_valid:
            time_s -= report.remote_age_s
            packets = report.remote.packets
        else:
            return None
        if self.last_s is not None and abs(time_s - self.last_s) <= _SAME_S:
            return None
        self.last_s = time_s
        return time_s, packets
