# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench merge`."""

from __future__ import annotations

import argparse
import dataclasses
import shutil
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.harness.usage import UsageFault
from pqc_bench.matrix.run_file import RunFile, read_run
from pqc_bench.matrix.runner import CELLS, RUN, SPEED, STATE
from pqc_bench.matrix.state_file import COMPLETED, FAILED, PENDING, Entry, State, read_states

# The parts of one run may differ in these.
_OWN = ("started", "order_seed", "machine", "testbeds", "shard", "no_speed")


def run(options: argparse.Namespace) -> int:
    parts = {part: read_run(part / RUN) for part in options.parts}
    first, whole = next(iter(parts.items()))
    for part, file in parts.items():
        for field in dataclasses.fields(RunFile):
            mine, others = (getattr(one, field.name) for one in (file, whole))
            if field.name not in _OWN and mine != others:
                raise UsageFault(
                    f"'{part}' and '{first}' differ in {field.name}: {mine} and {others}"
                )
    whole = dataclasses.replace(whole, shard="", testbeds=_union(parts.values()))
    entries: dict[str, tuple[Path, Entry]] = {}
    for part in parts:
        for cell, fields in read_states(part / STATE).items():
            if fields["status"] == PENDING:
                continue
            if cell in entries:
                raise RunFault(f"'{entries[cell][0]}' and '{part}' both have run {cell}")
            entries[cell] = part, Entry(**{**fields, "flags": tuple(fields["flags"])})
    return _write(options.out, whole, first, entries)


def _union(files: object) -> list[str]:
    return sorted({name for file in files for name in file.testbeds})


def _write(out: Path, whole: RunFile, first: Path, entries: dict[str, tuple[Path, Entry]]) -> int:
    out.mkdir(parents=True)
    whole.write(out / RUN)
    if (first / SPEED).exists():
        shutil.copy(first / SPEED, out / SPEED)
    for cell, (part, _) in entries.items():
        source = part / CELLS / cell
        if source.is_dir():
            shutil.copytree(source, out / CELLS / cell)
    known = {cell: entry for cell, (_, entry) in entries.items()}
    cells = whole.cells()
    state = State(out / STATE, [known.get(cell.id, Entry(cell.id)) for cell in cells])
    done, failed, left = (state.count(one) for one in (COMPLETED, FAILED, PENDING))
    print(f"{done} cells completed, {failed} failed, {left} not run, in {out}")
    return 0
