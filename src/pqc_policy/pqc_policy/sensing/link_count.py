# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which counter of a link report the advisor judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

COUNTS = ("peer_received", "received")
# The age of the peer's report is measured anew each time: the same report seems to move a little.
_SAME_S = 0.05


@dataclass
class LinkCount:
    """Readings of one counter, each only once."""

    count: str = "peer_received"  # our packets at the peer, or received: the peer's at our end
    last_s: float | None = None

    def reading(self, report: Any) -> tuple[float, int] | None:
        """Return the time in s and the packets until then; None if the report says nothing new.

        `report` is a LinkReport.
        """
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
