# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""CPU and memory of light and heavy: the increase by a detector in the measurements of the papers.

CPU of the drone's computer: 14.6 % without a detector, 40.5 % with XGBoost, 88.8 % with the time
series transformer (PQC-MAV, 72 suites, Raspberry Pi 5). Resident memory: 272.3, 606.4 and 760.3 MiB
(adaptive scheduling, table 11, Raspberry Pi 4). In the paper on the lookup scheduler the heavy
detector adds only about 100 MiB; the larger figure is the harder test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_MOST_OF_A_CORE = 0.95
# Length of a busy period, as long as the evaluation of a window of traffic.
_BUSY_MS = 20
# Resident memory of each process of stress-ng besides the block that it is asked to hold.
_PROCESS_MIB = 4.5


@dataclass(frozen=True)
class Target:
    """The CPU and memory that stress-ng uses in a scenario."""

    name: str
    cpu_percent: float  # of the whole machine: 100 means every core all the time
    memory_mib: float  # resident, of all its processes
    every_core: bool  # whether it works on all cores, or on as few as possible
    method: str  # the arithmetic, as a --cpu-method of stress-ng

    def workers(self, cores: int) -> int:
        """Return how many processes share the work."""
        if self.every_core:
            return cores
        needed = self.cpu_percent / 100.0 * cores / _MOST_OF_A_CORE
        return min(max(1, math.ceil(needed)), cores)

    def share(self, cores: int) -> float:
        """Return the share of one core that each process uses, 0 to 1."""
        return min(self.cpu_percent / 100.0 * cores / self.workers(cores), 1.0)

    def command(self, cores: int, own_mib: float) -> list[str]:
        """Return the call of stress-ng; `own_mib` is the memory of the program that calls it."""
        workers = self.workers(cores)
        # The parent, the workers, and two processes for the block of memory.
        held_mib = self.memory_mib - own_mib - _PROCESS_MIB * (workers + 3)
        words = [
            "stress-ng",
            "--quiet",
            *("--cpu", workers),
            *("--cpu-load", max(round(100.0 * self.share(cores)), 1)),
            *("--cpu-load-slice", _BUSY_MS),
            *("--cpu-method", self.method),
        ]
        if held_mib >= 1.0:
            # One process fills the block once, then sleeps.
            words += ["--vm", 1, "--vm-bytes", f"{held_mib:.0f}M", "--vm-keep", "--vm-hang", 0]
        return [str(word) for word in words]


LIGHT = Target("light", 40.5 - 14.6, 606.4 - 272.3, every_core=False, method="queens")
HEAVY = Target("heavy", 88.8 - 14.6, 760.3 - 272.3, every_core=True, method="matrixprod")
TARGETS = {target.name: target for target in (LIGHT, HEAVY)}
