# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What ./dev shows of long steps, and how they end (setup/steps.bash)."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from pqc_bench.harness.source_tree import source_tree

PRELUDE = """
set -euo pipefail
exec {STDERR}>&2
ROOT=$PWD DEV=$PWD LOG=$PWD/log
source "$1"
trap interrupted INT TERM HUP
"""


Starter = Callable[[str], subprocess.Popen[str]]


@pytest.fixture
def steps(tmp_path: Path) -> Starter:
    """Return a function that starts commands in a process group of their own."""

    def start(commands: str) -> subprocess.Popen[str]:
        script = f"{PRELUDE}\ncommands() {{ {commands}; }}\nalone commands"
        return subprocess.Popen(
            ["bash", "-c", script, "dev", str(source_tree() / "setup" / "steps.bash")],
            cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True,
            # bash can't trap what was ignored when it began, as in the background of a shell.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip

    return start


def test_a_step_that_ends_at_once_beside_another_shows_only_its_end(steps: Starter) -> None:
    process = steps("in_background 0 true\nfor _ in 1 2 3 4 5; do step quick true; done")
    shown = process.communicate(timeout=60)[1].splitlines()
    assert [line.split()[:2] for line in shown] == [["quick", "done"]] * 5


def test_what_is_ended_as_soon_as_it_begins_says_nothing(steps: Starter) -> None:
    # Bash knew of a process before it began, as here of the lock's.
    for _ in range(5):
        assert steps("in_background 0 sleep 500").communicate(timeout=60)[1] == ""


def test_an_interrupt_ends_a_step_and_what_runs_beside_it(steps: Starter) -> None:
    process = steps("in_background 0 sleep 500\nstep slow bash -c 'echo >begun; sleep 500'")
    begun = Path(os.readlink(f"/proc/{process.pid}/cwd")) / "begun"
    while not begun.exists():
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    # The pipe ends with the last process that holds it.
    shown = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert shown.endswith("dev: interrupted; the same command continues from here\n")
