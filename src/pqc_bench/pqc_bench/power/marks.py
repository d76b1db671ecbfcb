# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""When what happened in a cell: the spans whose energy is of interest, in a file beside its trace.

All times are in s of the monotonic clock of the computer whose power is measured.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pqc_policy.named_files import FileFault, read_document
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import write_summary

from pqc_bench.power.energy import Span

NAME = "power_marks.json"
FORMAT = 1
IDLE, TRAFFIC = "idle", "traffic"
HANDSHAKE, KEY_GENERATION, REKEY = "handshake", "key_generation", "rekey"
KINDS = (IDLE, HANDSHAKE, TRAFFIC, KEY_GENERATION, REKEY)


@dataclass(frozen=True)
class Mark:
    """One span of a kind, one of KINDS."""

    kind: str
    begin_s: float
    end_s: float

    def span(self, trace_begins_s: float) -> Span:
        """Return it in the time of a trace that begins at a time of the same clock."""
        return Span(self.begin_s - trace_begins_s, self.end_s - trace_begins_s)


def handshake_marks(statuses: Iterable[tuple[float, dict[str, Any]]]) -> list[Mark]:
    """Return the mark of the newest handshake, from the states of ends and their times in s.

    It begins with the first end's start and lasts until the last end's keys are in use.
    """
    spans = []
    for at_s, status in statuses:
        took_s, age_s = status["handshake"]["total_s"], status["key_age_s"]
        if took_s > 0.0 <= age_s:
            spans.append((at_s - age_s - took_s, at_s - age_s))
    begins, ends = zip(*spans, strict=True) if spans else ((), ())
    return [Mark(HANDSHAKE, min(begins), max(ends))] if spans else []


@dataclass(frozen=True)
class Marks:
    """All marks of a cell, and the UTC in s at zero of the monotonic clock."""

    utc_at_zero_s: float
    marks: tuple[Mark, ...]

    def of(self, kind: str) -> list[Mark]:
        return [mark for mark in self.marks if mark.kind == kind]

    def write(self, path: Path) -> None:
        write_summary(path, {"format": FORMAT, **asdict(self)})


def read_marks(path: Path) -> Marks:
    """Read a file of marks; RunFault if it is none."""
    try:
        content: Any = read_document(path)
        if content["format"] != FORMAT:
            raise RunFault(f"{path} is of another version")
        marks = tuple(Mark(**mark) for mark in content["marks"])
        return Marks(float(content["utc_at_zero_s"]), marks)
    except FileFault as fault:
        raise RunFault(f"{path} {fault}") from fault
    except (KeyError, TypeError, ValueError) as error:
        raise RunFault(f"{path} isn't a file of marks") from error
