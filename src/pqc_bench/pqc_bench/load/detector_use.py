# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The report of a detector on its use of the machine."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from pqc_sim.processes.summary_file import write_summary

from pqc_bench.harness.process_use import resident_kib, waited_seconds

REPORT_S = 1.0
# A shorter run may end before the first bin is complete.
_JUDGED_AFTER_S = 10.0


class DetectorUse:
    """What this process has used since the object was made, when the detector was ready."""

    def __init__(self, detector: str, summary: Path | None) -> None:
        self._detector = detector
        self._summary = summary
        self._cores = len(os.sched_getaffinity(0))
        self._began_s = time.monotonic()
        self._cpu_s, self._waited_s = time.process_time(), waited_seconds(os.getpid())
        # The session waits for this line.
        print(f"load: the detector {detector} is at work", flush=True)

    def report(self, judged: int) -> None:
        """Write what has been used since the start, if there is a file for it."""
        if self._summary is not None:
            write_summary(self._summary, self.figures(judged))

    def figures(self, judged: int) -> dict[str, Any]:
        """Return the members of a load's report; CPU in percent of the whole machine."""
        seconds = time.monotonic() - self._began_s
        cpu_s = time.process_time() - self._cpu_s
        # The wait of a thread that has ended is no longer known.
        waited_s = max(waited_seconds(os.getpid()) - self._waited_s, 0.0)
        scale = 100.0 / max(seconds, 1e-9) / self._cores
        idle = seconds > _JUDGED_AFTER_S and not judged
        return {
            "kind": self._detector,
            "seconds": round(seconds, 3),
            "reached_cpu_percent": round(scale * cpu_s, 3),
            "waited_cpu_percent": round(scale * waited_s, 3),
            "reached_memory_mib": round(resident_kib(os.getpid()) / 1024, 1),
            "judged_bins": judged,
            "faults": ["it has not judged any traffic"] if idle else [],
        }
