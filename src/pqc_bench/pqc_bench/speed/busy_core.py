# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Measures how much more power a busy core takes than an idle one, by the power sensor."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.harness.neighbours import Neighbours
from pqc_bench.power.capture import NAME, PowerCapture
from pqc_bench.power.energy import EnergyOfTrace, Span
from pqc_bench.power.options import PowerOptions
from pqc_bench.power.source import AUTO
from pqc_bench.power.trace import Trace, read_trace

# Idle and busy windows in turn, so that a slow drift of the power affects both alike.
ROUNDS = 6
WINDOW_S, SETTLE_S = 3.0, 1.0
# A difference of fewer standard errors is none.
_LEAST_ERRORS = 3.0


@dataclass(frozen=True)
class BusyCore:
    """Power in W, and the source of the sensor, as in traces."""

    watts: float
    source: str


@dataclass(frozen=True)
class Round:
    """An idle and a busy window, in s of the monotonic clock."""

    idle: Span
    busy: Span


def measure_busy_core(sys_root: Path, source: str = AUTO) -> BusyCore | str:
    """Return what a busy core takes, or a sentence: no sensor, or one that doesn't show it.

    `sys_root` is the folder in which the kernel shows power sensors, and `source` as of --power,
    but no meter. Takes ROUNDS times two windows
    on a computer that should do nothing else.
    """
    command = PowerOptions(source).command(sys_root)
    with tempfile.TemporaryDirectory(prefix="pqc-power-") as folder:
        capture = PowerCapture(command, Path(folder) / NAME)
        if not command or not capture.start():
            return "This computer has no power sensor (INA219 or RAPL)"
        rounds = take_rounds(lambda: Neighbours(1))
        capture.stop()
        trace = read_trace(Path(folder) / NAME)
    sensor, watts = trace.facts["source"], busy_core_w(trace, rounds)
    if watts is None:
        return f"The power sensor {sensor} shows no busy core"
    return BusyCore(watts, sensor)


def take_rounds(
    work: Callable[[], AbstractContextManager[object]],
    clock: Callable[[], float] = time.monotonic,
    wait: Callable[[float], None] = time.sleep,
) -> list[Round]:
    """Do nothing and `work` in turn, and return when."""

    def window() -> Span:
        wait(SETTLE_S)
        begin_s = clock()
        wait(WINDOW_S)
        return Span(begin_s, clock())

    rounds = []
    for _ in range(ROUNDS):
        idle = window()
        with work():
            rounds.append(Round(idle, window()))
    return rounds


def busy_core_w(trace: Trace, rounds: list[Round]) -> float | None:
    """Return the power in W that the work added; None if the sensor doesn't show it.

    RunFault if the trace doesn't have the windows.
    """
    energies = EnergyOfTrace(trace)

    def mean_w(span: Span) -> float:
        own = Span(span.begin_s - trace.monotonic_s, span.end_s - trace.monotonic_s)
        if not energies.covers(own):
            raise RunFault(f"the power sensor {trace.facts['source']} gives no value")
        return energies.mean_w(own)

    more = [mean_w(one.busy) - mean_w(one.idle) for one in rounds]
    watts, error_w = fmean(more), stdev(more) / len(more) ** 0.5
    return watts if watts > _LEAST_ERRORS * error_w else None
