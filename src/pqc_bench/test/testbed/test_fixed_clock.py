# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The clock of the CPU is held, and given back however the run ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from pqc_bench.testbed.fixed_clock import fixed_clock
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import descendants
from waiting import wait_for

BEFORE = {
    "scaling_governor": "ondemand\n",
    "scaling_min_freq": "600000\n",
    "scaling_max_freq": "2400000\n",
}
FIXED = {
    "scaling_governor": "performance",
    "scaling_min_freq": "2400000\n",
    "scaling_max_freq": "2400000\n",
}
BOUNDS = {"cpuinfo_min_freq": "600000\n", "cpuinfo_max_freq": "2400000\n"}
LIMIT_S = 60.0


@pytest.fixture
def sys_root(tmp_path: Path) -> Path:
    root = tmp_path / "sys"
    for core in range(2):
        folder = root / f"devices/system/cpu/cpu{core}/cpufreq"
        folder.mkdir(parents=True)
        for name, text in {**BEFORE, **BOUNDS}.items():
            (folder / name).write_text(text, encoding="ascii")
    return root


def settings(root: Path) -> list[dict[str, str]]:
    folders = sorted(root.glob("devices/system/cpu/cpu*/cpufreq"))
    return [{name: (one / name).read_text(encoding="ascii") for name in BEFORE} for one in folders]


def test_the_clock_is_held_at_its_highest_and_given_back(sys_root: Path, tmp_path: Path) -> None:
    with fixed_clock(sys_root, tmp_path / "state"):
        assert settings(sys_root) == [FIXED, FIXED]
    assert settings(sys_root) == [BEFORE, BEFORE]


def test_a_turbo_that_the_kernel_tells_of_is_left_out(sys_root: Path, tmp_path: Path) -> None:
    for folder in sys_root.glob("devices/system/cpu/cpu*/cpufreq"):
        (folder / "base_frequency").write_text("1800000\n", encoding="ascii")
    with fixed_clock(sys_root, tmp_path / "state"):
        assert {one["scaling_max_freq"] for one in settings(sys_root)} == {"1800000\n"}


def test_a_run_that_is_killed_gives_the_clock_back(sys_root: Path, tmp_path: Path) -> None:
    with held(sys_root, tmp_path / "state") as holder:
        assert settings(sys_root) == [FIXED, FIXED]
        holder.kill()
    wait_for(lambda: settings(sys_root) == [BEFORE, BEFORE], LIMIT_S)


def test_the_next_run_gives_back_what_a_killed_guard_left(sys_root: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with held(sys_root, state) as holder:
        (guard,) = descendants(holder.pid)
        os.kill(guard, signal.SIGKILL)
        holder.kill()
    assert settings(sys_root) == [FIXED, FIXED]
    assert json.loads(state.read_text(encoding="ascii"))
    with fixed_clock(sys_root, state):
        assert settings(sys_root) == [FIXED, FIXED]
    assert settings(sys_root) == [BEFORE, BEFORE]


def test_two_runs_do_not_both_hold_the_clock(sys_root: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    with (
        fixed_clock(sys_root, state),
        pytest.raises(RunFault, match="another run holds it"),
        fixed_clock(sys_root, state),
    ):
        pass
    assert settings(sys_root) == [BEFORE, BEFORE]


def test_a_machine_without_cpufreq_says_so(tmp_path: Path) -> None:
    with (
        pytest.raises(RunFault, match="this machine has no cpufreq"),
        fixed_clock(tmp_path, tmp_path / "state"),
    ):
        pass


def held(root: Path, state: Path) -> subprocess.Popen[str]:
    """Start a program that holds the clock until it is killed."""
    program = (
        "import sys; from pathlib import Path; from pqc_bench.testbed.fixed_clock import *\n"
        "with fixed_clock(Path(sys.argv[1]), Path(sys.argv[2])):\n"
        "    print('held', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", program, str(root), str(state)]
    holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder
