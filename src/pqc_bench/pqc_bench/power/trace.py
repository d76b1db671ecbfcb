# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A trace of power over time: what pqc_power_capture writes, or an external meter."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pqc_policy.shown_text import Fault

Array = NDArray[np.float64]
COLUMNS = ("seconds", "power_w", "missed")
_AVERAGES = "mean since the previous sample"
_FAST = 1


class TraceFault(Fault):
    """A trace that can't be read; the message is one sentence."""


@dataclass(frozen=True)
class Trace:
    """Samples in the order of their times; `missed` counts those missing before each."""

    seconds: Array  # since `monotonic_s`
    power_w: Array
    missed: Array
    facts: Mapping[str, str]

    @property
    def averages(self) -> bool:
        """Whether a sample is the mean since the one before, and not the power of a moment."""
        return self.facts.get("power") == _AVERAGES

    @property
    def finished(self) -> bool:
        """Whether its program could end it."""
        return "ended" in self.facts

    @property
    def interval_s(self) -> float:
        """The time between two samples without a gap."""
        return self.number("interval_s") or 1.0 / (self.number("rate_hz") or 1.0)

    @property
    def monotonic_s(self) -> float:
        """When its time begins, by the monotonic clock of its computer."""
        return self.number("monotonic_s") or 0.0

    @property
    def utc_s(self) -> float:
        """When its time begins, in s of UTC since 1970."""
        return self.number("utc_s") or 0.0

    def number(self, fact: str) -> float | None:
        """Return a fact; None if it is not known."""
        try:
            value = float(self.facts[fact])
        except (KeyError, ValueError):
            return None
        return value if np.isfinite(value) else None


def read_trace(path: Path) -> Trace:
    """Read a trace, also one that was cut short; TraceFault if it is none."""
    try:
        text = _unpacked(path.read_bytes())
    except OSError as error:
        raise TraceFault(f"{path} can't be read: {error.strerror or error}") from error
    lines = text.splitlines()
    facts, rows = {}, []
    for line in lines:
        if line.startswith("# "):
            name, _, value = line[2:].partition(": ")
            facts[name] = value
        elif line.count(",") == len(COLUMNS) - 1 and not line.startswith(COLUMNS[0]):
            rows.append(line)
    if not lines or not lines[0].startswith("# pqc power trace"):
        raise TraceFault(f"{path} isn't a trace of power")
    if not text.endswith("\n"):
        rows = rows[:-1]
    try:
        values = np.loadtxt(rows, delimiter=",", ndmin=2) if rows else np.empty((0, 3))
    except ValueError as error:
        raise TraceFault(f"{path} has a row that isn't of numbers") from error
    return Trace(values[:, 0], values[:, 1], values[:, 2], facts)


def write_trace(path: Path, trace: Trace) -> None:
    """Write a trace as pqc_power_capture does."""
    out = io.StringIO()
    out.write("# pqc power trace: 1\n")
    out.writelines(
        f"# {name}: {value}\n" for name, value in trace.facts.items() if name != "pqc power trace"
    )
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(COLUMNS)
    for at_s, watts, missed in zip(trace.seconds, trace.power_w, trace.missed, strict=True):
        rows.writerow((f"{at_s:.6f}", f"{watts:.6f}", int(missed)))
    # Without the time of day, so that equal traces are equal files.
    path.write_bytes(gzip.compress(out.getvalue().encode("ascii"), _FAST, mtime=0))


def _unpacked(data: bytes) -> str:
    """Return the text; of a file whose program was killed, what had been written."""
    unpacking = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        return unpacking.decompress(data).decode("ascii", "replace")
    except zlib.error:
        return ""
