# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of a run on several computers, and the whole that they make."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path

import pytest
from pqc_bench.bench_command import main
from pqc_bench.cell.cell import Cell
from pqc_bench.matrix.run_file import RunFile, parse_shard, read_run
from pqc_bench.matrix.runner import run_pending
from pqc_bench.matrix.state_file import COMPLETED, Entry, State, read_states

WHOLE = RunFile(["cs-a", "cs-b", "cs-c"], ["baseline"], ["mavlink"], ["clean"], 2.0, repeat=3)


def part(shard: str, seed: int) -> RunFile:
    return dataclasses.replace(WHOLE, shard=shard, order_seed=seed)


def done(cell: Cell) -> tuple[Entry, None]:
    return Entry(cell.id, COMPLETED, seconds=1.0), None


def make_part(folder: Path, run: RunFile, *, ran: int = 99) -> Path:
    """Make the folder of a part of which so many cells have run."""
    folder.mkdir()
    run.write(folder / "run.json")
    entries = [done(cell)[0] if at < ran else Entry(cell.id) for at, cell in enumerate(run.cells())]
    State(folder / "state.json", entries)
    for entry in entries[:ran]:
        cell = folder / "cells" / entry.cell
        cell.mkdir(parents=True)
        (cell / "metrics.json").write_text(folder.name, encoding="ascii")
    return folder


@pytest.mark.parametrize("parts", [1, 2, 4, 9])
def test_parts_have_every_cell_once_whatever_their_order(parts: int) -> None:
    ids = [
        cell.id
        for number in range(1, parts + 1)
        for cell in part(f"{number}/{parts}", number).cells()
    ]
    assert sorted(ids) == sorted(cell.id for cell in WHOLE.cells())


@pytest.mark.parametrize("text", ["", "3", "0/2", "3/2", "a/b", "1/2/3", "-1/2"])
def test_a_part_that_cannot_be_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="isn't a part"):
        parse_shard(text)


def test_merged_parts_are_the_whole_and_what_is_left_is_pending(tmp_path: Path) -> None:
    parts = [
        make_part(tmp_path / "a", part("1/2", 1)),
        make_part(tmp_path / "b", part("2/2", 2), ran=3),
    ]
    out = tmp_path / "whole"
    assert main(["merge", *map(str, parts), "--out", str(out)]) == 0
    assert read_run(out / "run.json").shard == ""
    states = read_states(out / "state.json")
    assert len(states) == len(WHOLE.cells())
    assert sum(entry["status"] == COMPLETED for entry in states.values()) == 5 + 3
    ran = {file.read_text(encoding="ascii") for file in out.rglob("metrics.json")}
    assert ran == {"a", "b"}


def test_parts_of_different_runs_or_the_same_cells_are_not_merged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = make_part(tmp_path / "a", part("1/2", 1))
    other = make_part(tmp_path / "b", dataclasses.replace(part("2/2", 1), seconds=3.0))
    assert main(["merge", str(first), str(other), "--out", str(tmp_path / "out")]) == 2
    assert "differ in seconds: 3.0 and 2.0" in capsys.readouterr().err
    again = make_part(tmp_path / "c", part("1/2", 1))
    assert main(["merge", str(first), str(again), "--out", str(tmp_path / "out")]) == 1
    assert "both have run" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_two_pairs_of_computers_share_the_cells(tmp_path: Path) -> None:
    both = threading.Barrier(2, timeout=60.0)
    ran: dict[int, list[str]] = {1: [], 2: []}

    def worker(number: int, cell: Cell) -> tuple[Entry, None]:
        if not ran[number]:
            both.wait()  # neither begins its second cell before the other its first
        ran[number].append(cell.id)
        return done(cell)

    state = State.new(tmp_path / "state.json", WHOLE.cells())
    workers = [lambda cell: worker(1, cell), lambda cell: worker(2, cell)]
    run_pending(WHOLE.cells(), state, workers, lambda text: None)
    assert state.pending() == []
    assert sorted(ran[1] + ran[2]) == sorted(cell.id for cell in WHOLE.cells())
    assert all(ran.values())
