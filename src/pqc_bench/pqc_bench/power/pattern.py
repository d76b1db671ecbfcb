# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A pattern of load that a run makes at its start and end, to find its time in a meter's file.

The pattern is a sequence of maximal length: shifted, it does not resemble itself.
"""

from __future__ import annotations

import signal
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pqc_policy.named_files import FileFault, read_document
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import write_summary

from pqc_bench.harness.neighbours import Neighbours

NAME = "power_patterns.json"
FORMAT = 1
STEP_S = 0.1
_MOST_ADJUSTED_S = 5.0  # of the time of day, in a run
_TAPS, _LENGTH = (6, 5), 63  # x^6 + x^5 + 1


def bits() -> list[int]:
    """Return the steps of the pattern: 1 is busy, 0 idle."""
    state, found = [1] * _TAPS[0], []
    for _ in range(_LENGTH):
        found.append(state[-1])
        state = [state[_TAPS[0] - 1] ^ state[_TAPS[1] - 1], *state[:-1]]
    return found


@dataclass(frozen=True)
class Patterns:
    """When patterns began, in s of the monotonic clock, whose zero was at a UTC."""

    utc_at_zero_s: float
    begins_s: tuple[float, ...] = ()
    step_s: float = STEP_S

    def same_clock(self, utc_at_zero_s: float) -> bool:
        """Return whether other times are of the same clock: of no other boot of the computer."""
        return abs(self.utc_at_zero_s - utc_at_zero_s) < _MOST_ADJUSTED_S

    def write(self, path: Path) -> None:
        write_summary(path, {"format": FORMAT, **asdict(self)})


def read_patterns(path: Path) -> Patterns:
    """Read the patterns of a run; RunFault if it made none."""
    try:
        content: Any = read_document(path)
        begins_s = tuple(float(begin) for begin in content["begins_s"])
        return Patterns(float(content["utc_at_zero_s"]), begins_s, float(content["step_s"]))
    except FileFault as fault:
        raise RunFault(f"the run made no pattern for a meter: {path} {fault}") from fault
    except (KeyError, TypeError, ValueError) as error:
        raise RunFault(f"{path} isn't a file of patterns") from error


def make_pattern(file: Path) -> None:
    """Keep all cores busy and idle in the pattern, and add its time to the file of the run."""
    with Neighbours() as neighbours:
        neighbours.signal(signal.SIGSTOP)
        begin_s = time.monotonic() + STEP_S
        for number, busy in enumerate(bits()):
            time.sleep(max(0.0, begin_s + number * STEP_S - time.monotonic()))
            neighbours.signal(signal.SIGCONT if busy else signal.SIGSTOP)
        time.sleep(max(0.0, begin_s + _LENGTH * STEP_S - time.monotonic()))
    patterns = Patterns(time.time() - time.monotonic(), (begin_s,))
    if file.exists():
        known = read_patterns(file)
        if known.same_clock(patterns.utc_at_zero_s):
            patterns = replace(patterns, begins_s=(*known.begins_s, begin_s))
    patterns.write(file)
