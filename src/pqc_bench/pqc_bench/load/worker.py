# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One process of a load: `python -m pqc_bench.load.worker KIND SHARE MEMORY_MIB`."""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time

# Before numpy is loaded: each worker is one thread.
for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ[f"{_library}_NUM_THREADS"] = "1"

from pqc_sim.processes.signal_pipe import SignalPipe  # noqa: E402

from pqc_bench.harness.process_use import cpu_seconds  # noqa: E402
from pqc_bench.load.pacing import Pacing  # noqa: E402
from pqc_bench.load.work import WORK  # noqa: E402

_PAGE = 4096


def main() -> int:
    """Work until told to stop."""
    kind, share, memory_mib = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    me = os.getpid()
    with SignalPipe(signal.SIGINT, signal.SIGTERM) as signals:
        work = WORK[kind]()
        work()
        buffer = _resident(memory_mib - _own_mib())
        pacing = Pacing(share, time.monotonic(), cpu_seconds(me))
        # What comes before isn't the load's.
        print(f"ready {len(buffer)}", flush=True)
        rest_s = 0.0
        while not select.select([signals], [], [], rest_s)[0]:
            rest_s = pacing.rest_s(time.monotonic(), cpu_seconds(me))
            if rest_s == 0.0:
                work()
    return 0


def _own_mib() -> float:
    """Return the memory that the work takes at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _resident(mib: float) -> bytearray:
    """Return so much memory, every page of it written to."""
    buffer = bytearray(max(int(mib * 1024 * 1024), 0))
    for page in range(0, len(buffer), _PAGE):
        buffer[page] = 1
    return buffer


if __name__ == "__main__":
    sys.exit(main())
