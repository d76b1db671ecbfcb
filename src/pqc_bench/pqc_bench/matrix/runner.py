# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a matrix: pick a cell, run it, merge, check, write, advance; failed cells do not stop it."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import Any

from pqc_policy.policy.suites import find_suite
from pqc_sim.pair.identities import make_identities
from pqc_sim.pair.programs import tool_program
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import read_summary, write_summary
from pqc_testing.ros_graph import isolate_graph

from pqc_bench.cell.cell import RATES, Cell, link_profile
from pqc_bench.cell.cell_run import CellRun
from pqc_bench.cell.cell_view import CellView
from pqc_bench.cell.scenario import STAND_INS, detector_of, scenario_command
from pqc_bench.harness.machine import commit, machine_kind
from pqc_bench.harness.time_left import time_left
from pqc_bench.matrix import progress
from pqc_bench.matrix.run_file import RunFile
from pqc_bench.matrix.state_file import COMPLETED, FAILED, Entry, State
from pqc_bench.metrics.aggregator import aggregate
from pqc_bench.metrics.file import NAME, write_metrics
from pqc_bench.power.options import PowerOptions
from pqc_bench.speed.program import run_speed
from pqc_bench.testbed.bed_cell import BedRun
from pqc_bench.testbed.bed_file import Bed
from pqc_bench.testbed.fixed_clock import fixed_clock
from pqc_bench.testbed.preflight import preflight

Metrics = dict[str, Any]
CELLS = "cells"
RUN = "run.json"
STATE = "state.json"
SPEED = "speed.json"
BEDS = "testbeds.json"  # the only file with hosts and addresses
# A datagram takes at most so much in the logs of both directions, with room for the rest of a cell.
_LOGGED_BYTES, _SPARE_BYTES = 700, 64 << 20
# Enough samples of the slow signatures for a median, without a long delay of the run.
_SPEED_CAP_S = 2
_SPEED_COUNT = 200


class Runner:
    """A run in its folder; `write_line` receives each line of progress."""

    def __init__(
        self,
        out: Path,
        run: RunFile,
        state: State,
        write_line: Callable[[str], None],
        sys_root: Path = Path("/sys"),
        beds: Sequence[Bed] = (),
    ) -> None:
        """Check all links and commands before the first cell.

        With beds each cell runs on one of these pairs of computers, and otherwise on this machine.
        """
        self._out = out
        self._run = run
        self._state = state
        self._write_line = write_line
        self._sys_root = sys_root
        self._speed: dict[str, Any] = {}
        # The same for a resumed run, which ends what a killed one has left running.
        name = f"{run.started} {run.order_seed} {run.shard}"
        power = PowerOptions(run.power)
        self._beds = [BedRun(bed, name, fix_clock=run.fix_clock, power=power) for bed in beds]
        for link in run.links:
            link_profile(link)
        for scenario in run.scenarios:
            scenario_command(scenario, run.scenario_commands.get(scenario, ""))

    def check_ends(self) -> None:
        """Show the table of each pair of computers; RunFault if something would stop the run."""
        datagrams = self._run.seconds * max(RATES[load] for load in self._run.loads)
        room_bytes = round(datagrams * _LOGGED_BYTES) + _SPARE_BYTES
        given = self._run.scenario_commands
        stressed = not set(STAND_INS).isdisjoint(set(self._run.scenarios) - set(given))
        found = [detector_of(one, given.get(one, "")) for one in self._run.scenarios]
        detectors = [*dict.fromkeys(filter(None, found))]
        good = True
        for bed in self._beds:
            lines, well = preflight(
                bed,
                room_bytes,
                fix_clock=self._run.fix_clock,
                stressed=stressed,
                detectors=detectors,
                loads=self._run.loads,
                vehicle=self._run.vehicle,
            )
            for line in lines:
                self._write_line(line)
            good = good and well
        if not good:
            raise RunFault("nothing has run: mend the faults, then repeat the command")

    def run(self) -> None:
        """Run all pending cells. KeyboardInterrupt leaves the one under way pending."""
        self._speed = read_summary(self._out / SPEED) or {}
        if self._beds:
            self._run_all(self._beds)
            return
        with contextlib.ExitStack() as stack:
            if self._run.fix_clock:
                stack.enter_context(fixed_clock(self._sys_root))
            self._run_here()

    def _run_all(self, runs: Sequence[CellRun | BedRun]) -> None:
        workers = [partial(self._one, cell_run) for cell_run in runs]
        run_pending(self._run.cells(), self._state, workers, self._write_line)

    def _run_here(self) -> None:
        isolate_graph()
        with tempfile.TemporaryDirectory(prefix="pqc-matrix-") as scratch:
            keys = make_identities(Path(scratch) / "keys", signatures="all")
            with CellView() as view:
                power = PowerOptions(self._run.power)
                cell_run = CellRun(view, keys, Path(scratch) / "control", self._sys_root, power)
                self._run_all([cell_run])

    def _one(self, cell_run: CellRun | BedRun, cell: Cell) -> tuple[Entry, Metrics | None]:
        folder = self._out / CELLS / cell.id
        # The remains of an interrupted attempt.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        began = time.monotonic()
        metrics: Metrics | None = None
        reasons = []
        try:
            command = self._run.scenario_commands.get(cell.scenario, "")
            seen = cell_run.run(cell, folder, command)
            seen.cipher_alone = cipher_alone(self._speed, cell.suite)
            reasons += filter(None, [seen.failure])
            metrics = write_metrics(folder / NAME, aggregate(seen))
        except Exception as error:
            reasons.append(str(error) or type(error).__name__)
        return (
            Entry(
                cell=cell.id,
                status=FAILED if reasons else COMPLETED,
                reason="; ".join(reasons),
                seconds=round(time.monotonic() - began, 2),
                flags=tuple(flag["name"] for flag in metrics["r_validation"]["flags"])
                if metrics is not None
                else (),
            ),
            metrics,
        )


def run_pending(
    cells: Sequence[Cell],
    state: State,
    workers: Sequence[Callable[[Cell], tuple[Entry, Metrics | None]]],
    write_line: Callable[[str], None],
) -> None:
    """Run the pending cells, each on the next worker that is free; confirm its result on disk."""
    by_id = {cell.id: cell for cell in cells}
    waiting = deque(state.pending())
    lock = threading.Lock()

    def work(one: Callable[[Cell], tuple[Entry, Metrics | None]]) -> None:
        while True:
            with lock:
                if not waiting:
                    return
                cell_id = waiting.popleft()
            entry, metrics = one(by_id[cell_id])
            with lock:
                state.confirm_advance(entry)
                done = len(by_id) - len(state.pending())
                left = time_left(state.seconds_left(at_once=len(workers)))
                write_line(f"{progress.line(done, len(by_id), entry, metrics)}  [{left}]")

    if len(workers) == 1:
        work(workers[0])
        return
    with ThreadPoolExecutor(len(workers)) as pool:
        try:
            for finished in as_completed([pool.submit(work, worker) for worker in workers]):
                finished.result()
        finally:
            # After an interrupt the cells under way end, and no other begins.
            waiting.clear()


def cipher_alone(speed: dict[str, Any], suite: str) -> list[dict[str, Any]]:
    """Return the operations of a suite's cipher from a report of pqc_speed; empty: not timed."""
    known = find_suite(suite)
    return [
        operation
        for subject in speed.get("aeads", [])
        if known is not None and subject["algorithm"] == known.aead
        for operation in subject["operations"]
    ]


def measure_speed(out: Path, write_line: Callable[[str], None]) -> None:
    """Time this machine's primitives into the run's folder, unless they are there."""
    path = out / SPEED
    if path.exists():
        return
    write_line("Timing this machine's primitives first.")
    report = run_speed(tool_program("pqc_speed"), _SPEED_COUNT, _SPEED_CAP_S, show=False)
    write_summary(path, {**report, "machine": machine_kind(), "commit": commit()})
