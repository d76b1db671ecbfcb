# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""state.json: which cells are pending, completed or failed; only `confirm_advance` changes it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from pqc_policy.named_files import NoFile, read_document
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import write_summary

from pqc_bench.cell.cell import Cell
from pqc_bench.harness.usage import UsageFault

FORMAT = 1
_MOST_BYTES = 16 << 20
PENDING = "pending"
COMPLETED = "completed"
FAILED = "failed"
DISTURBED = "disturbed"  # a flag


@dataclass(frozen=True)
class Entry:
    """One cell of the state; seconds is how long it took."""

    cell: str
    status: str = PENDING
    reason: str = ""
    seconds: float | None = None
    flags: tuple[str, ...] = ()

    @property
    def suite(self) -> str:
        return self.cell.rpartition("/")[2].partition("@")[0]

    @property
    def worth_retrying(self) -> bool:
        """Return whether it failed, or something else used the machine meanwhile."""
        return self.status == FAILED or DISTURBED in self.flags

    @property
    def flag_words(self) -> str:
        return ", ".join(dict.fromkeys(flag.replace("_", " ") for flag in self.flags))


class State:
    """The cells of a run in their order; every change is written to disk at once."""

    def __init__(self, path: Path, entries: Sequence[Entry]) -> None:
        """Write the state to `path`."""
        self._path = path
        self._entries = {entry.cell: entry for entry in entries}
        self._write()

    @staticmethod
    def new(path: Path, cells: Sequence[Cell]) -> State:
        """Begin with all cells pending; UsageFault if there is a state already."""
        State.require_none(path)
        return State(path, [Entry(cell.id) for cell in cells])

    @staticmethod
    def require_none(path: Path) -> None:
        """Raise UsageFault if there is a state."""
        if path.exists():
            raise UsageFault(
                f"there is a run in '{path.parent}' already: continue it with --resume"
            )

    @staticmethod
    def resumed(path: Path, cells: Sequence[Cell], *, retry: bool) -> State:
        """Continue a stopped run; with `retry`, failed and disturbed cells are pending again."""
        # A run that was stopped before its first cell may have no state.
        states = read_states(path) if path.exists() else {}
        known = {
            cell: Entry(**{**entry, "flags": tuple(entry["flags"])})
            for cell, entry in states.items()
        }
        entries = [known.get(cell.id, Entry(cell.id)) for cell in cells]
        if retry:
            entries = [Entry(e.cell) if e.worth_retrying else e for e in entries]
        return State(path, entries)

    def pending(self) -> list[str]:
        """Return the cells that are still to be run, in order."""
        return [entry.cell for entry in self._entries.values() if entry.status == PENDING]

    def count(self, status: str) -> int:
        return sum(entry.status == status for entry in self._entries.values())

    def entries(self) -> list[Entry]:
        return list(self._entries.values())

    def confirm_advance(self, entry: Entry) -> None:
        """Record the result of a pending cell; nothing else changes the state."""
        if self._entries[entry.cell].status != PENDING:
            raise ValueError(f"{entry.cell} is {self._entries[entry.cell].status} already")
        self._entries[entry.cell] = entry
        self._write()

    def seconds_left(self, at_once: int = 1) -> float | None:
        """Estimate the rest: as long as the same suite took, or the mean; None without any.

        So many cells run at once.
        """
        took: dict[str, list[float]] = {}
        for entry in self._entries.values():
            if entry.seconds is not None:
                took.setdefault(entry.suite, []).append(entry.seconds)
        if not took:
            return None
        usual = fmean(value for values in took.values() for value in values)
        suites = [entry.suite for entry in self._entries.values() if entry.status == PENDING]
        seconds = sum(fmean(took[suite]) if suite in took else usual for suite in suites)
        return seconds / at_once

    def _write(self) -> None:
        cells: list[dict[str, Any]] = [
            {**vars(entry), "flags": list(entry.flags)} for entry in self._entries.values()
        ]
        write_summary(self._path, {"format": FORMAT, "cells": cells})


def read_states(path: Path) -> dict[str, dict[str, Any]]:
    """Return the fields of each Entry by its cell; RunFault if there is no valid file."""
    fields = {field.name for field in dataclasses.fields(Entry)}
    try:
        content = read_document(path, _MOST_BYTES)
        if content["format"] != FORMAT:
            raise RunFault(f"{path} is of another version: it has format {content['format']}")
        states = {entry["cell"]: entry for entry in content["cells"]}
        if any(set(entry) != fields for entry in states.values()):
            raise ValueError("an entry has other members")
    except NoFile as error:
        raise RunFault(f"there is no state of a run in '{path.parent}'") from error
    except (ValueError, KeyError, TypeError) as error:
        raise RunFault(f"{path} isn't the state of a run: {error}") from error
    return states
