# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Schedules are shared out among processes."""

from __future__ import annotations

from pathlib import Path

import pytest
from pqc_bench.simulate.run import shares, simulate


def _program(folder: Path, code: int) -> Path:
    """Make a stand-in for the simulator that prints its options and ends with this code."""
    program = folder / "program"
    program.write_text(f'#!/bin/sh\necho "pqc_simulate: $*"\nexit {code}\n', encoding="utf-8")
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


@pytest.mark.parametrize("code", [0, 1, 2])
def test_what_the_simulator_prints_and_its_exit_code_are_passed_on(
    tmp_path: Path, code: int, capfd: pytest.CaptureFixture[str]
) -> None:
    assert simulate(_program(tmp_path, code), 1, 7, ["--suites", "x"]) == code
    assert capfd.readouterr().out == "pqc_simulate: --schedules 1 --seed 7 --suites x\n"
