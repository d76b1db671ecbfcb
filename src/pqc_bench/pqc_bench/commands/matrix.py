# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Run suites x scenarios x loads x links, each cell a launch of its own, with metrics and a bag.

A cell is a launch of session.launch.py: both tunnels as users start them, a load through them, the
program of the scenario beside them, and a bag. A cell consists of handshake, clock comparison,
traffic, one rekey under traffic and a clean end; its observations go to metrics.json in its folder
below OUT/cells. A run can be stopped at any time, and --resume continues it. A cell that fails is
recorded with the reason, and the run continues. Exit code 0: every cell was completed.
"""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from pqc_sim.processes.command_line import link_seed, seconds
from pqc_sim.processes.run_fault import RunFault

from pqc_bench.cell.cell import OFF, POLICIES, RATES
from pqc_bench.cell.scenario import SCENARIOS, scenario_command
from pqc_bench.matrix.plan import choose, choose_links, choose_suites
from pqc_bench.matrix.run_file import RunFile, read_run
from pqc_bench.matrix.runner import RUN, STATE, Runner, measure_speed
from pqc_bench.matrix.state_file import COMPLETED, FAILED, State

_SHORTEST_S = 0.5
# The defaults of a run.
_USUAL = {
    "suites": "paper",
    "scenario": "baseline",
    "load": "mavlink",
    "link": "clean",
    "seconds": 2.0,
    "link_seed": 1,
    "policy": OFF,
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments; those not given are None, and a resumed run has its own values."""
    parser.add_argument(
        "--suites",
        help="paper (the seeds' 72), extended, all, or patterns separated by commas (paper)",
    )
    parser.add_argument(
        "--scenario", help="of baseline, light, heavy; several with commas (baseline)"
    )
    parser.add_argument("--load", help="of mavlink, blaster; with commas (mavlink)")
    parser.add_argument("--link", help="clean, installed profiles, or files; with commas (clean)")
    parser.add_argument("--seconds", type=seconds, help="traffic in each cell (2)")
    parser.add_argument("--link-seed", type=link_seed, help="of emulated links (1)")
    parser.add_argument(
        "--policy",
        choices=POLICIES,
        help="off: without policy; advise: the policy runs and is recorded, but "
        "rekeys nothing (off)",
    )
    parser.add_argument("--out", type=Path, help="folder of the run (a new one, named by the date)")
    parser.add_argument(
        "--resume", action="store_true", help="continue the run in --out with its options"
    )
    parser.add_argument(
        "--retry", action="store_true", help="with --resume: run failed cells again, too"
    )
    parser.add_argument(
        "--detector",
        action="append",
        metavar="SCENARIO=COMMAND",
        help="the program of a scenario, in place of the stand-in; it gets --summary FILE, and "
        "prints a line when it is running",
    )
    parser.add_argument(
        "--no-speed", action="store_true", help="don't time the primitives into speed.json first"
    )
    parser.add_argument(
        "--sys-root", type=Path, default=Path("/sys"), help="where temperatures and power are read"
    )


def run(options: argparse.Namespace) -> int:
    """Run the matrix; 0 if every cell was completed."""
    # A launch file stops this program by SIGTERM.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    out, matrix, state = _resumed(options) if options.resume else _begun(options)

    def write_line(text: str) -> None:
        print(text, flush=True)

    runner = Runner(out, matrix, state, write_line, options.sys_root)
    pending = len(state.pending())
    write_line(f"{pending} of {len(matrix.cells())} cells to run, into {out}")
    try:
        if not (options.no_speed or matrix.no_speed):
            measure_speed(out, write_line)
        runner.run()
    except KeyboardInterrupt:
        write_line(f"Stopped. To continue: bench matrix --resume --out {out}")
        return 1
    failed = state.count(FAILED)
    write_line(f"{state.count(COMPLETED)} cells completed, {failed} failed.")
    for entry in state.entries():
        if entry.status == FAILED:
            write_line(f"  {entry.cell}: {entry.reason}")
        elif entry.flags:
            write_line(f"  {entry.cell}: flagged {', '.join(entry.flags)}")
    return 1 if failed else 0


def _begun(options: argparse.Namespace) -> tuple[Path, RunFile, State]:
    if options.retry:
        raise RunFault("--retry goes with --resume")
    asked = {**_USUAL, **_given(options)}
    # Invalid options raise here, before the folder holds a run.
    matrix = RunFile(**_read(asked), suites_asked=asked["suites"], no_speed=options.no_speed)
    out: Path = options.out or Path(f"bench-{datetime.now():%Y-%m-%d-%H-%M-%S}")
    out = out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    if not (out / STATE).exists():
        matrix.write(out / RUN)
    return out, matrix, State.new(out / STATE, matrix.cells())


def _resumed(options: argparse.Namespace) -> tuple[Path, RunFile, State]:
    if options.out is None:
        raise RunFault("--resume needs --out, the folder of the run")
    out = options.out.absolute()
    matrix = read_run(out / RUN)
    for name, value in _given(options).items():
        for field, read in _read({name: value}).items():
            if read != getattr(matrix, field):
                raise RunFault(
                    f"--{name.replace('_', '-')} differs from that of the run in "
                    f"'{out}', which continues with its options"
                )
    return out, matrix, State.resumed(out / STATE, matrix.cells(), retry=options.retry)


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """Return the given options that define a run."""
    values = {name: getattr(options, name) for name in _FIELDS}
    return {name: value for name, value in values.items() if value is not None}


def _read(options: dict[str, Any]) -> dict[str, Any]:
    """Return options as the fields of a run file; RunFault for an invalid one."""
    return {_FIELDS[name][0]: _FIELDS[name][1](value) for name, value in options.items()}


def _long_enough(traffic_s: float) -> float:
    if traffic_s < _SHORTEST_S:
        raise RunFault(f"traffic of less than {_SHORTEST_S} s holds no rekey")
    return traffic_s


def _detectors(given: list[str]) -> dict[str, str]:
    commands: dict[str, str] = {}
    for text in given:
        scenario, equals, command = text.partition("=")
        if not equals or not command or scenario not in SCENARIOS:
            raise RunFault(f"--detector {text} isn't of the form SCENARIO=COMMAND")
        scenario_command(scenario, command)
        commands[scenario] = command
    return commands


# For each option the field of the run file, and its parser.
_FIELDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "suites": ("suites", choose_suites),
    "scenario": ("scenarios", lambda text: choose(text, SCENARIOS, "scenario")),
    "load": ("loads", lambda text: choose(text, tuple(RATES), "load")),
    "link": ("links", choose_links),
    "seconds": ("seconds", _long_enough),
    "link_seed": ("link_seed", int),
    "policy": ("policy", str),
    "detector": ("scenario_commands", _detectors),
}
