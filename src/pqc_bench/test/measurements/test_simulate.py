# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""How schedules are shared out among processes and summed up."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from pqc_bench.simulate.run import shares, simulate
from pqc_sim.processes.run_fault import RunFault

_REPORT = {
    "schedules": 3,
    "steps": 900,
    "simulated_s": 1.5,
    "datagrams": 10,
    "handshakes": 4,
    "rekeys": 2,
    "failed_rekeys": 1,
    "crashes": 1,
    "silences": 0,
    "cuts": 0,
    "violations": [],
    "wall_s": 9.0,
}


def _program(folder: Path, code: int, report: dict[str, object]) -> Path:
    """Make a stand-in for the simulator that writes this report and ends with this code."""
    program = folder / "program"
    program.write_text(
        "#!/bin/sh\n"
        'while [ "$1" != --json ]; do shift; done\n'
        f"echo '{json.dumps(report)}' > \"$2\"\n"
        "echo 'pqc_simulate: no suite x'\n"
        f"exit {code}\n",
        encoding="utf-8",
    )
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(("schedules", "processes"), [(1, 2), (7, 2), (8, 3), (100, 4)])
def test_every_seed_is_run_once(schedules: int, processes: int) -> None:
    seeds = [
        seed
        for count, first in shares(schedules, 5, processes)
        for seed in range(first, first + count)
    ]
    assert seeds == list(range(5, 5 + schedules))


def test_counts_are_summed_up(tmp_path: Path) -> None:
    schedules = max(os.cpu_count() or 1, 2)
    result = simulate(_program(tmp_path, 0, _REPORT), schedules, 1, [])
    parts = len(shares(schedules, 1, os.cpu_count() or 1))
    assert (result["schedules"], result["rekeys"]) == (3 * parts, 2 * parts)
    assert result["violations"] == []
    assert set(result) == set(_REPORT)
    assert result["wall_s"] < 9.0


def test_violations_are_kept(tmp_path: Path) -> None:
    violation = {"seed": 1, "invariant": "i", "text": "t", "replay": "r"}
    report = {**_REPORT, "violations": [violation]}
    assert simulate(_program(tmp_path, 1, report), 1, 1, [])["violations"] == [violation]


def test_a_simulator_that_fails_is_told_in_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(RunFault, match=r"^no suite x$"):
        simulate(_program(tmp_path, 2, _REPORT), 1, 1, ["--suites", "x"])


def test_what_every_schedule_has_is_passed_on(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\necho "pqc_simulate: $*"\nexit 2\n', encoding="utf-8")
    program.chmod(0o755)
    with pytest.raises(RunFault, match="--links 2 --adversary"):
        simulate(program, 1, 1, ["--links", "2", "--adversary"])
