# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m pqc_bench.load`: runs stress-ng as the load of a scenario, and reports its use."""

from __future__ import annotations

import argparse
import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from pqc_sim.processes.command_line import Parser, percent, whole
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.signal_pipe import SignalPipe
from pqc_sim.processes.summary_file import write_summary
from pqc_testing.child import descendants, end_with_parent

from pqc_bench.harness.process_use import cpu_seconds, resident_kib, waited_seconds
from pqc_bench.load.summary_option import parse_with_summary
from pqc_bench.load.targets import TARGETS, Target

_REPORT_S = 1.0
_START_S = 60.0
_POLL_S = 0.05
# Tolerated deviation: a part of the target, and at least some points of the machine's CPU.
_PART = 0.1
_CPU_POINTS = 3.0
# A shorter run may end in the middle of a busy period.
_JUDGED_AFTER_S = 3.0


def _parser() -> Parser:
    parser = Parser(
        prog="load",
        description="Use the CPU share and the memory of a papers' detector until SIGTERM: light "
        "is XGBoost, heavy a time series transformer.",
    )
    parser.add_argument("detector", choices=sorted(TARGETS))
    cpu = ", ".join(f"{name}: {target.cpu_percent:.1f}" for name, target in TARGETS.items())
    memory = ", ".join(f"{name}: {target.memory_mib:.0f}" for name, target in TARGETS.items())
    parser.add_argument(
        "--cpu", type=percent, metavar="PERCENT", help=f"of the whole machine ({cpu})"
    )
    parser.add_argument(
        "--memory-mib",
        type=whole(1, 1_000_000, "a size", " MiB"),
        metavar="N",
        help=f"resident ({memory})",
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run until a signal."""
    options = parse_with_summary(_parser(), arguments)
    try:
        return _run(_target(options), options.summary)
    except RunFault as fault:
        print(f"load: {fault}", file=sys.stderr)
        return 1


def _run(target: Target, summary_file: Path | None) -> int:
    if shutil.which("stress-ng") is None:
        raise RunFault("stress-ng is not installed")
    cores = len(os.sched_getaffinity(0))
    command = target.command(cores, resident_kib(os.getpid()) / 1024)
    with SignalPipe(signal.SIGINT, signal.SIGTERM) as signals:
        # In a session of its own, where Ctrl-C does not reach it before the last summary.
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=end_with_parent,
        )
        try:
            if not _at_work(process, target, target.workers(cores), signals):
                return 0
            use = Use(target, process.pid, cores)
            # The session waits for this line.
            print("load: at work", flush=True)
            stopped = False
            while not stopped:
                stopped = bool(select.select([signals], [], [], _REPORT_S)[0])
                if process.poll() is not None and not stopped:
                    raise RunFault(f"stress-ng exited with {process.returncode}")
                summary = use.summary()
                if summary_file is not None:
                    write_summary(summary_file, summary)
        finally:
            _kill(process)
    for sentence in summary["faults"]:
        print(f"load: {sentence}", file=sys.stderr)
    return 0


def _kill(process: subprocess.Popen[bytes]) -> None:
    # On a busy machine an orderly end may take longer than the launch waits. The parent is killed
    # first, since it starts workers again.
    workers = descendants(process.pid)
    process.kill()
    for pid in workers:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


def _at_work(
    process: subprocess.Popen[bytes], target: Target, count: int, signals: SignalPipe
) -> bool:
    """Wait until stress-ng uses what it should; return False if a signal comes before."""
    deadline = time.monotonic() + _START_S
    while len(descendants(process.pid)) < count or _memory_mib(process.pid) < (
        (1.0 - _PART) * target.memory_mib
    ):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RunFault("stress-ng does not start")
        if select.select([signals], [], [], _POLL_S)[0]:
            return False
    return True


def _memory_mib(pid: int) -> float:
    """Return the resident memory of this program, a process and its descendants."""
    return sum(map(resident_kib, [os.getpid(), pid, *descendants(pid)])) / 1024


class Use:
    """Measures the CPU and memory of this program and stress-ng since the object was made."""

    def __init__(self, target: Target, pid: int, cores: int) -> None:
        """Start to measure the process and its descendants."""
        self._target = target
        self._pid = pid
        self._cores = cores
        self._began = time.monotonic()
        self._cpu_s, self._waited_s = self._times()

    def summary(self) -> dict[str, Any]:
        """Return the use so far, and `faults`: its deviations from the target."""
        target = self._target
        seconds = time.monotonic() - self._began
        cpu_s, waited_s = self._times()
        scale = 100.0 / max(seconds, 1e-9) / self._cores
        cpu, waited = scale * (cpu_s - self._cpu_s), scale * (waited_s - self._waited_s)
        memory = _memory_mib(self._pid)
        faults = []
        limit = max(_CPU_POINTS, _PART * target.cpu_percent)
        if seconds > _JUDGED_AFTER_S and abs(cpu - target.cpu_percent) > limit:
            faults.append(
                f"it used {cpu:.1f} % of the CPU instead of {target.cpu_percent:.1f} %, "
                f"and waited for it during {waited:.1f} %"
            )
        if abs(memory - target.memory_mib) > _PART * target.memory_mib:
            faults.append(f"it has {memory:.0f} MiB instead of {target.memory_mib:.0f} MiB")
        return {
            "kind": target.name,
            "seconds": round(seconds, 3),
            "target_cpu_percent": round(target.cpu_percent, 2),
            "reached_cpu_percent": round(cpu, 2),
            "waited_cpu_percent": round(waited, 2),
            "target_memory_mib": round(target.memory_mib, 1),
            "reached_memory_mib": round(memory, 1),
            "faults": faults,
        }

    def _times(self) -> tuple[float, float]:
        pids = [self._pid, *descendants(self._pid)]
        return sum(map(cpu_seconds, pids)), sum(map(waited_seconds, pids))


def _target(options: argparse.Namespace) -> Target:
    usual = TARGETS[options.detector]
    given = {"cpu_percent": options.cpu, "memory_mib": options.memory_mib}
    return replace(usual, **{name: value for name, value in given.items() if value is not None})


if __name__ == "__main__":
    sys.exit(main())
