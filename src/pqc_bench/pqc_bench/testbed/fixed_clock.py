# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Holds the clock of the CPU at one frequency, and gives back what was set before.

`python -m pqc_bench.testbed.fixed_clock` is the guard: a process of its own, which sets the clock,
and restores it when its standard input ends, however whoever holds the other end has ended. What
was set before is in a file first, from which the next guard restores if this one is killed.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from pqc_sim.processes.run_fault import RunFault

GOVERNOR = "performance"
# Where a restart of the machine, which restores the clock itself, removes it.
STATE = Path("/run/pqc-bench-clock.json")
_CPUFREQ = "devices/system/cpu/cpu*/cpufreq"
_FIXED = "fixed"


@contextlib.contextmanager
def fixed_clock(sys_root: Path, state: Path = STATE) -> Iterator[None]:
    """Hold the clock while a block runs; RunFault where that isn't possible."""
    command = [sys.executable, "-m", __name__, "--sys-root", str(sys_root), "--state", str(state)]
    # A session of its own: an interrupt from the terminal is not for the guard.
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as guard:
        assert guard.stdin is not None
        assert guard.stdout is not None
        answer = guard.stdout.readline().strip()
        if answer != _FIXED:
            raise RunFault(f"the clock can't be fixed: {answer or 'its guard has ended'}")
        try:
            yield
        finally:
            guard.stdin.close()
            guard.wait()


def _lowest_first(folder: Path, values: dict[str, str]) -> None:
    """Set limits and governor of a core; the kernel refuses a lower limit above the upper one."""
    for name in ("scaling_min_freq", "scaling_max_freq"):
        bound = (folder / name.replace("scaling", "cpuinfo")).read_text(encoding="ascii")
        (folder / name).write_text(bound, encoding="ascii")
    for name in ("scaling_governor", "scaling_max_freq", "scaling_min_freq"):
        (folder / name).write_text(values[name], encoding="ascii")


class Guard:
    """Sets and restores; holds the lock of its file."""

    def __init__(self, sys_root: Path, state: IO[str]) -> None:
        self._folders = sorted(sys_root.glob(_CPUFREQ))
        self._state = state

    def restore(self) -> None:
        """Give back what the file says, if it says something, and empty it."""
        self._state.seek(0)
        text = self._state.read()
        if text:
            for folder, values in json.loads(text).items():
                # A core may have been taken off meanwhile.
                with contextlib.suppress(FileNotFoundError):
                    _lowest_first(Path(folder), values)
        self._write("")

    def fix(self) -> None:
        """Set every core; OSError or ValueError where that isn't possible."""
        if not self._folders:
            raise ValueError("this machine has no cpufreq in its /sys")
        names = ("scaling_governor", "scaling_min_freq", "scaling_max_freq")
        before = {
            str(folder): {name: (folder / name).read_text(encoding="ascii") for name in names}
            for folder in self._folders
        }
        self._write(json.dumps(before))
        for folder in self._folders:
            highest = _steady_frequency(folder)
            values = {"scaling_max_freq": highest, "scaling_min_freq": highest}
            _lowest_first(folder, {"scaling_governor": GOVERNOR, **values})

    def _write(self, text: str) -> None:
        self._state.seek(0)
        self._state.truncate()
        self._state.write(text)
        self._state.flush()
        os.fsync(self._state.fileno())


def _steady_frequency(folder: Path) -> str:
    """Return the highest frequency that a core keeps: without turbo, where the kernel tells it."""
    for name in ("base_frequency", "cpuinfo_max_freq"):
        with contextlib.suppress(FileNotFoundError):
            return (folder / name).read_text(encoding="ascii")
    raise ValueError("the kernel doesn't tell the highest frequency")


def main() -> int:
    """Guard until the input ends; the first line of output is `fixed`, or why not."""
    parser = argparse.ArgumentParser(prog="fixed_clock")
    parser.add_argument("--sys-root", type=Path, required=True)
    parser.add_argument("--state", type=Path, required=True)
    given = parser.parse_args()
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_IGN)
    try:
        with given.state.open("a+", encoding="ascii") as state:
            fcntl.flock(state, fcntl.LOCK_EX | fcntl.LOCK_NB)
            guard = Guard(given.sys_root, state)
            guard.restore()
            try:
                guard.fix()
                print(_FIXED, flush=True)
                sys.stdin.read()
            finally:
                guard.restore()
    except BlockingIOError:
        print("another run holds it", flush=True)
    except PermissionError:
        print("only root may set it", flush=True)
    except (OSError, ValueError) as error:
        print(str(error), flush=True)
    else:
        return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
