# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m pqc_bench.load`: uses as much of the machine as a detector would, until stopped."""

from __future__ import annotations

import argparse
import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from pqc_sim.processes.child import die_with_parent
from pqc_sim.processes.command_line import Parser, percent, whole
from pqc_sim.processes.signal_pipe import SignalPipe
from pqc_sim.processes.summary_file import write_summary

from pqc_bench.harness.process_use import cpu_seconds, resident_kib
from pqc_bench.load.targets import TARGETS, Target

_TELL_S = 1.0
_START_S = 60.0
# How far off a load may be before it says so: a part of the target, and no less than some points of
# the machine's CPU.
_PART = 0.1
_CPU_POINTS = 3.0
# Memory that the work needs again and again isn't given back in between (mallopt(3)).
_KEEP_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(1 << 30)}
# Short runs end in the middle of a burst.
_JUDGED_AFTER_S = 3.0


def _parser() -> Parser:
    parser = Parser(
        prog="load",
        description="Use as much CPU and memory as a detector of attacks would, until SIGTERM: "
        "light as XGBoost, heavy as a time series transformer.",
    )
    parser.add_argument("kind", choices=sorted(TARGETS))
    parser.add_argument(
        "--cpu",
        type=percent,
        metavar="PERCENT",
        help="of the whole machine (light: "
        f"{TARGETS['light'].cpu_percent:.1f}, heavy: {TARGETS['heavy'].cpu_percent:.1f})",
    )
    parser.add_argument(
        "--memory-mib",
        type=whole(1, 1_000_000, "a size", " MiB"),
        metavar="N",
        help=f"resident (light: {TARGETS['light'].memory_mib:.0f}, "
        f"heavy: {TARGETS['heavy'].memory_mib:.0f})",
    )
    parser.add_argument(
        "--seconds",
        type=whole(1, what="a number of seconds"),
        metavar="N",
        help="end by itself after so long",
    )
    parser.add_argument(
        "--summary", type=Path, metavar="FILE", help="where to tell what was reached, as JSON"
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run until told to stop."""
    options = _parser().parse_args(arguments)
    if options.summary is not None and not options.summary.absolute().parent.is_dir():
        print(f"load: there is no folder for '{options.summary}'", file=sys.stderr)
        return 1
    target = _target(options)
    with SignalPipe(signal.SIGINT, signal.SIGTERM) as signals, Workers(target) as workers:
        fault = workers.start(signals)
        if fault:
            print(f"load: {fault}", file=sys.stderr)
            return 1
        # Whoever launches it may wait for this line.
        print("load: at work", flush=True)
        until = time.monotonic() + (options.seconds or float("inf"))
        while workers.alive() and time.monotonic() < until:
            wait_s = min(_TELL_S, max(until - time.monotonic(), 0.0))
            stopped = bool(select.select([signals], [], [], wait_s)[0])
            summary = workers.summary()
            if options.summary is not None:
                write_summary(options.summary, summary)
            if stopped:
                break
        else:
            if not workers.alive():
                print("load: a worker has ended", file=sys.stderr)
                return 1
    for sentence in summary["faults"]:
        print(f"load: {sentence}", file=sys.stderr)
    return 0


class Workers:
    """The processes that do the work; use it as a context manager."""

    def __init__(self, target: Target) -> None:
        """Plan them: one per core, or as many as are needed."""
        self._target = target
        self._cores = len(os.sched_getaffinity(0))
        self._processes: list[subprocess.Popen[str]] = []
        self._began = time.monotonic()
        self._used_s = 0.0
        self._waited_s = 0.0

    def __enter__(self) -> Workers:
        """Use it."""
        return self

    def __exit__(self, *_: object) -> None:
        """End them."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait()

    def start(self, signals: SignalPipe) -> str:
        """Start them and wait until each is at work; a sentence if that is in vain."""
        count = self._target.workers(self._cores)
        memory_mib = (self._target.memory_mib - resident_kib(os.getpid()) / 1024) / count
        words = [self._target.kind, str(self._target.share(self._cores)), str(max(memory_mib, 0.0))]
        for _ in range(count):
            self._processes.append(
                subprocess.Popen(
                    [sys.executable, "-m", "pqc_bench.load.worker", *words],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    text=True,
                    env={**os.environ, **_KEEP_MEMORY},
                    preexec_fn=die_with_parent,
                )
            )
        deadline = time.monotonic() + _START_S
        for process in self._processes:
            assert process.stdout is not None
            left_s = max(deadline - time.monotonic(), 0.0)
            ready = select.select([process.stdout, signals], [], [], left_s)[0]
            if signals in ready:
                return "it was stopped before it began"
            if not ready or not process.stdout.readline():
                return "a worker doesn't start"
        self._began = time.monotonic()
        self._used_s = self._cpu_s()
        self._waited_s = self._delay_s()
        return ""

    def alive(self) -> bool:
        """Return whether all of them work."""
        return all(process.poll() is None for process in self._processes)

    def summary(self) -> dict[str, Any]:
        """Return what was reached so far, and what is wrong with it."""
        target = self._target
        seconds = time.monotonic() - self._began
        cpu = 100.0 * (self._cpu_s() - self._used_s) / max(seconds, 1e-9) / self._cores
        mine = [os.getpid(), *(process.pid for process in self._processes)]
        memory = sum(resident_kib(pid) for pid in mine) / 1024
        faults = []
        # A starved load is no fault of its own making, but isn't what was asked for either.
        waited = 100.0 * (self._delay_s() - self._waited_s) / max(seconds, 1e-9) / self._cores
        cpu_limit = max(_CPU_POINTS, _PART * target.cpu_percent)
        if seconds > _JUDGED_AFTER_S and abs(cpu - target.cpu_percent) > cpu_limit:
            faults.append(
                f"it used {cpu:.1f} % of the CPU instead of {target.cpu_percent:.1f} %, "
                f"and waited for it during {waited:.1f} %"
            )
        if abs(memory - target.memory_mib) > _PART * target.memory_mib:
            faults.append(f"it has {memory:.0f} MiB instead of {target.memory_mib:.0f} MiB")
        return {
            "kind": target.kind,
            "seconds": round(seconds, 3),
            "cores": self._cores,
            "workers": len(self._processes),
            "target_cpu_percent": round(target.cpu_percent, 2),
            "reached_cpu_percent": round(cpu, 2),
            "waited_cpu_percent": round(waited, 2),
            "target_memory_mib": round(target.memory_mib, 1),
            "reached_memory_mib": round(memory, 1),
            "faults": faults,
        }

    def _cpu_s(self) -> float:
        return sum(cpu_seconds(process.pid) for process in self._processes)

    def _delay_s(self) -> float:
        return sum(_delay_seconds(process.pid) for process in self._processes)


def _delay_seconds(pid: int) -> float:
    """Return for how long a process was ready to run while others ran."""
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()
        return int(words[1]) / 1e9
    return 0.0


def _target(options: argparse.Namespace) -> Target:
    usual = TARGETS[options.kind]
    return Target(
        usual.kind,
        usual.cpu_percent if options.cpu is None else options.cpu,
        usual.memory_mib if options.memory_mib is None else options.memory_mib,
        usual.every_core,
    )


if __name__ == "__main__":
    sys.exit(main())
