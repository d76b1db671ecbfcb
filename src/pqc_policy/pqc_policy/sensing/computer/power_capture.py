# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Records power at a high rate into a file."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pqc_policy.sensing.computer.energy import Energy

HIGHEST_RATE_HZ = 1000.0
LONGEST_S = 3600.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_GIVE_UP_S = 1.0  # without an answer of the sensor


class CaptureFault(Exception):
    """The reason for rejecting a capture, as one sentence."""


@dataclass(frozen=True)
class Plan:
    """A valid request."""

    file: Path
    seconds: float
    rate_hz: float


@dataclass(frozen=True)
class Capture:
    success: bool
    message: str  # one sentence
    samples: int = 0
    seconds: float = 0.0  # from the first sample to the last
    energy: Energy = field(default_factory=Energy)


def capture_fault(name: str, seconds: float, rate_hz: float) -> str | None:
    """Return why a capture is not possible, as a sentence; None if it may be."""
    if not _NAME.fullmatch(name):
        return (
            f"{name!r} is not a valid name for a capture: use letters, digits, dots, dashes and "
            "underscores."
        )
    if not 0.0 < seconds <= LONGEST_S:
        return f"A capture takes more than 0 and at most {LONGEST_S:g} s."
    if rate_hz != 0.0 and not 1.0 <= rate_hz <= HIGHEST_RATE_HZ:
        return f"A capture's rate is from 1 to {HIGHEST_RATE_HZ:g} per second."
    return None


def plan(name: str, seconds: float, rate_hz: float, folder: Path) -> Plan:
    """Return the plan of a capture; raises CaptureFault for an invalid request."""
    if fault := capture_fault(name, seconds, rate_hz):
        raise CaptureFault(fault)
    file = folder / (name if name.endswith(".csv") else f"{name}.csv")
    if file.exists():
        raise CaptureFault(f"{file} exists already.")
    return Plan(file, seconds, rate_hz or HIGHEST_RATE_HZ)


def record(
    plan: Plan,
    read: Callable[[float], float | None],
    stopped: Callable[[], bool] = lambda: False,
    now_s: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Capture:
    """Read power until the time is over; write time (s) and power (W) of each sample as a line.

    A sample that is late is skipped. Raises nothing for a file or sensor that fails: the result
    has the reason.
    """
    try:
        plan.file.parent.mkdir(parents=True, exist_ok=True)
        # Fails if the file has been created meanwhile.
        with plan.file.open("x", encoding="ascii") as file:
            file.write("time_s,power_w\n")
            return _record(plan, read, stopped, now_s, sleep, file.write)
    except OSError as error:
        return Capture(False, f"{plan.file} can't be written: {error.strerror or error}.")


def _record(
    plan: Plan,
    read: Callable[[float], float | None],
    stopped: Callable[[], bool],
    now_s: Callable[[], float],
    sleep: Callable[[float], None],
    write: Callable[[str], object],
) -> Capture:
    energy, samples, longest_pause_s = Energy(), 0, 0.0
    start_s = first_s = last_s = now_s()
    slot, silent = 0, False
    while not stopped() and not silent:
        at_s = now_s()
        if at_s - start_s > plan.seconds:
            break
        watts = read(at_s)
        if watts is not None:
            write(f"{at_s - start_s:.6f},{watts:.6f}\n")
            first_s = first_s if samples else at_s
            longest_pause_s = max(longest_pause_s, at_s - last_s) if samples else 0.0
            energy, samples, last_s = energy.added(at_s, watts), samples + 1, at_s
        silent = at_s - last_s > _GIVE_UP_S
        slot = max(slot + 1, math.ceil((now_s() - start_s) * plan.rate_hz))
        wait_s = start_s + slot / plan.rate_hz - now_s()
        if wait_s > 0.0:
            sleep(wait_s)
    seconds = last_s - first_s
    if silent:
        text = f"The sensor stopped answering after {last_s - start_s:.1f} s."
    elif stopped():
        text = f"The capture was stopped after {last_s - start_s:.1f} s."
    elif samples < 2:
        text = "There were too few samples for an energy."
    else:
        text = (
            f"{samples} samples at {(samples - 1) / seconds:.1f} per second, "
            f"the longest pause {longest_pause_s * 1000.0:.1f} ms."
        )
        return Capture(True, text, samples, seconds, energy)
    return Capture(False, text, samples, seconds, energy)
