# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""How much each stand-in uses: what the detector added in the papers' measurements.

CPU of the drone's computer: 14.6 % without a detector, 40.5 % with XGBoost, 88.8 % with the time
series transformer (PQC-MAV, 72 suites, Raspberry Pi 5). Resident memory: 272.3, 606.4 and 760.3 MiB
(adaptive scheduling, table 11, Raspberry Pi 4). The lookup scheduler's paper has its heavy detector
add about 100 MiB only; the larger figure is the harder one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_MOST_OF_A_CORE = 0.95


@dataclass(frozen=True)
class Target:
    """What a load is to use."""

    kind: str
    cpu_percent: float  # of the whole machine: 100 is every core all of the time
    memory_mib: float  # resident, of all its processes
    every_core: bool  # whether it works on all cores at once, or on as few as will do

    def workers(self, cores: int) -> int:
        """Return how many processes share the work."""
        if self.every_core:
            return cores
        needed = self.cpu_percent / 100.0 * cores / _MOST_OF_A_CORE
        return min(max(1, math.ceil(needed)), cores)

    def share(self, cores: int) -> float:
        """Return what each of them is to use of one core, 0 to 1."""
        return min(self.cpu_percent / 100.0 * cores / self.workers(cores), 1.0)


LIGHT = Target("light", cpu_percent=40.5 - 14.6, memory_mib=606.4 - 272.3, every_core=False)
HEAVY = Target("heavy", cpu_percent=88.8 - 14.6, memory_mib=760.3 - 272.3, every_core=True)
TARGETS = {target.kind: target for target in (LIGHT, HEAVY)}
