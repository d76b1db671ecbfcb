# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Results of schedules, summed up over the processes that ran them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Result:
    """Counts of events, and the violated invariants."""

    schedules: int = 0
    steps: int = 0
    simulated_s: float = 0.0
    datagrams: int = 0
    handshakes: int = 0
    rekeys: int = 0
    failed_rekeys: int = 0
    crashes: int = 0
    silences: int = 0
    cuts: int = 0
    violations: list[dict[str, Any]] = field(default_factory=list)
    wall_s: float = 0.0

    def add(self, part: dict[str, Any]) -> None:
        """Add the report of one process, except for its wall time."""
        for name in asdict(self):
            if name != "wall_s":
                setattr(self, name, getattr(self, name) + part[name])

    def summary(self) -> dict[str, Any]:
        """Return the result for JSON."""
        return asdict(self)
