# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench matrix`."""

from __future__ import annotations

import argparse
import contextlib
import secrets
import shlex
import signal
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.cell.suite_set import PAPER, choose_suites
from pqc_bench.harness.usage import UsageFault
from pqc_bench.matrix.plan import choose_links
from pqc_bench.matrix.run_file import RunFile, read_run
from pqc_bench.matrix.run_lock import run_lock
from pqc_bench.matrix.runner import BEDS, RUN, STATE, Runner, measure_speed
from pqc_bench.matrix.state_file import COMPLETED, FAILED, State
from pqc_bench.power.options import PowerOptions
from pqc_bench.power.pattern import NAME as PATTERNS
from pqc_bench.power.pattern import make_pattern
from pqc_bench.testbed.bed_file import Bed, kept_beds, read_beds, write_beds

# The exit code that shells report for a program ended by SIGINT.
_INTERRUPTED = 130
_ORDER_BITS = 32
# As in the earlier papers.
_REPEAT = 5
# Fields of the run file by option, if they have another name.
_FIELDS = {
    "scenario": "scenarios",
    "load": "loads",
    "link": "links",
    "detector": "scenario_commands",
}
_OPTIONS = (
    *("suites", "seconds", "repeat", "order_seed", "link_seed", "policy", "power", "vehicle"),
    *("shard", *_FIELDS),
)


def run(options: argparse.Namespace) -> int:
    # A launch file stops this program by SIGTERM.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    out, matrix = _resumed(options) if options.resume else _begun(options)
    with run_lock(out):
        return _run(options, out, matrix)


def _beds(options: argparse.Namespace, out: Path) -> list[Bed]:
    """Return the pairs of computers of a run; a resumed one may be given a changed file."""
    if options.testbed is not None:
        return read_beds(options.testbed)
    return kept_beds(out / BEDS) if options.resume else []


def _run(options: argparse.Namespace, out: Path, matrix: RunFile) -> int:
    beds = _beds(options, out)
    if [bed.name for bed in beds] != matrix.testbeds:
        raise UsageFault(f"--testbed differs from that of the run in '{out}'")
    if options.resume:
        state = State.resumed(out / STATE, matrix.cells(), retry=options.retry)
    else:
        State.require_none(out / STATE)
        matrix.write(out / RUN)
        if beds:
            write_beds(out / BEDS, beds)
        state = State.new(out / STATE, matrix.cells())

    def write_line(text: str) -> None:
        print(text, flush=True)

    runner = Runner(out, matrix, state, write_line, options.sys_root, beds)
    pending = len(state.pending())
    write_line(f"{pending} of {len(matrix.cells())} cells to run, into {out}")
    try:
        runner.check_ends()
        if options.only_preflight:
            return 0
        # The ends of a test bed are other machines than this one.
        if not (options.no_speed or matrix.no_speed or beds):
            measure_speed(out, write_line)
        with _patterns(out, matrix):
            runner.run()
    except KeyboardInterrupt:
        write_line(f"Stopped. To continue: bench matrix --resume --out {shlex.quote(str(out))}")
        return _INTERRUPTED
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise RunFault(f"the run in '{out}' stopped: {error.strerror or error}") from error
    failed = state.count(FAILED)
    write_line(f"{state.count(COMPLETED)} cells completed, {failed} failed.")
    for entry in state.entries():
        if entry.status == FAILED:
            write_line(f"  {entry.cell}: {entry.reason}")
        elif entry.flags:
            write_line(f"  {entry.cell}: flagged {entry.flag_words}")
    return 1 if failed else 0


@contextlib.contextmanager
def _patterns(out: Path, matrix: RunFile) -> Iterator[None]:
    """Make the pattern that a meter's file is aligned by, before the cells and after them."""
    meter = PowerOptions(matrix.power).meter
    if meter:
        make_pattern(out / PATTERNS)
    yield
    if meter:
        make_pattern(out / PATTERNS)


def _begun(options: argparse.Namespace) -> tuple[Path, RunFile]:
    given = _given(options)
    usual = {"scenarios": ["baseline"], "loads": ["mavlink"], "links": ["clean"], "seconds": 2.0}
    usual["repeat"] = _REPEAT
    fields = {"suites": given.get("suites") or choose_suites(PAPER), **usual, **given}
    fields.setdefault("order_seed", secrets.randbits(_ORDER_BITS))
    beds = [] if options.testbed is None else [bed.name for bed in read_beds(options.testbed)]
    out: Path = options.out or Path(f"bench-{datetime.now():%Y-%m-%d-%H-%M-%S}")
    out = out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    fixed = {"no_speed": options.no_speed, "fix_clock": options.fix_clock, "testbeds": beds}
    return out, RunFile(**fields, **fixed)


def _resumed(options: argparse.Namespace) -> tuple[Path, RunFile]:
    out = options.out.absolute()
    matrix = read_run(out / RUN)
    names = {field: option for option, field in _FIELDS.items()}
    for field, value in _given(options).items():
        if value != getattr(matrix, field):
            raise UsageFault(
                f"--{names.get(field, field).replace('_', '-')} differs from that of the run in "
                f"'{out}', which continues with its options"
            )
    return out, matrix


def _given(options: argparse.Namespace) -> dict[str, Any]:
    """Return the given options that define a run, as fields of its file."""
    given = {
        _FIELDS.get(name, name): value
        for name in _OPTIONS
        if (value := getattr(options, name)) is not None
    }
    if "links" in given:
        given["links"] = choose_links(given["links"])
    if "scenario_commands" in given:
        given["scenario_commands"] = dict(given["scenario_commands"])
    return given
