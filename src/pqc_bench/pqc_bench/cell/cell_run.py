# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The life of one cell: launch, keys, clocks, traffic, a rekey under traffic, stop."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import read_summary

from pqc_bench.cell.cell import DECISIONS, OFF, Cell
from pqc_bench.cell.cell_view import CellView
from pqc_bench.cell.conductor import Conductor
from pqc_bench.cell.observed import ENDS, Observed
from pqc_bench.cell.plain_message import as_plain
from pqc_bench.cell.power_marks import marks_of
from pqc_bench.cell.scenario import SCENARIO_FILE
from pqc_bench.cell.session_process import SessionProcess, bag_of
from pqc_bench.collectors.collector import Collector
from pqc_bench.collectors.disturbance import snapshot
from pqc_bench.collectors.environment import EnvironmentCollector
from pqc_bench.collectors.latency import LatencyCollector
from pqc_bench.collectors.mavlink import MavlinkCollector
from pqc_bench.collectors.network import NetworkCollector
from pqc_bench.collectors.system import SystemCollector
from pqc_bench.harness.measured_nodes import rekey_times_ms
from pqc_bench.load.load_report import read_load_report
from pqc_bench.power.capture import NAME as TRACE
from pqc_bench.power.capture import PowerCapture
from pqc_bench.power.cell_power import cell_power
from pqc_bench.power.marks import NAME as MARKS
from pqc_bench.power.options import PowerOptions
from pqc_bench.power.trace import TraceFault, read_trace

# Before the launch, for the power without the session.
_IDLE_S = 2.0
# Includes the start of a detector, and Classic McEliece or SPHINCS+ beside it.
_ESTABLISH_S = 120.0
_CLOCK_S = 30.0
_BAG_S = 60.0
_READY_S = 60.0
_REKEY_S = 180.0
_AGREE_S = 60.0
_EVENT_S = 20.0
_STATUS_S = 30.0
_DONE_S = 60.0
# Length of the rekey window after the answer: the last datagrams under the old keys belong to it.
_TAIL_S = 0.15
_REKEY_AT = 0.4
_BAG_TOPICS = ("/pqc/status", "/gcs/pqc/status", "/pqc/events", "/pqc/link")
_MS_PER_S = 1000.0


class CellRun:
    """Runs cells in sequence; all cells share the view, everything else is made per cell."""

    def __init__(
        self,
        view: CellView,
        keys: Path,
        control: Path,
        sys_root: Path,
        power: PowerOptions | None = None,
    ) -> None:
        """Take the identities' folder, and a short path for the control socket."""
        self._power = power or PowerOptions()
        self._view = view
        self._keys = keys
        self._control = control
        self._sys_root = sys_root

    def run(self, cell: Cell, folder: Path, scenario_command: str = "") -> Observed:
        """Run a cell into its folder; a failure is a sentence in the returned `failure`."""
        seen = Observed.begun(cell, scenario_command)
        with self._powered(seen, folder):
            self._launch(cell, folder, seen, scenario_command)
        seen.bag = bag_of(folder / "bag")
        seen.link_summary = read_summary(folder / "link.json")
        seen.scenario_report = read_load_report(folder / SCENARIO_FILE)
        return seen

    @contextlib.contextmanager
    def _powered(self, seen: Observed, folder: Path) -> Iterator[None]:
        """Record the power from before the launch to the end, with what happened when."""
        command = self._power.command(self._sys_root)
        capture = PowerCapture(command, folder / TRACE) if command else None
        there = capture is not None and capture.start()
        if there or self._power.meter:
            mark(seen, "idle")
            time.sleep(_IDLE_S)
        trace = None
        try:
            yield
        finally:
            try:
                if capture is not None and capture.stop():
                    trace = read_trace(folder / TRACE)
            except (RunFault, TraceFault) as fault:
                seen.failure = seen.failure or str(fault)
        if there or self._power.meter:
            marks = marks_of(seen, self._view.stamped)
            marks.write(folder / MARKS)
            if trace is not None:
                seen.collected["power"] = cell_power(trace, marks)

    def _launch(self, cell: Cell, folder: Path, seen: Observed, scenario_command: str) -> None:
        mark(seen, "launched")
        self._look(seen, "launched")
        with (
            Conductor(self._control) as conductor,
            SessionProcess(cell, folder, self._keys, self._control, scenario_command) as session,
        ):
            self._view.begin(session.check)
            try:
                self._conduct(cell, folder, session, conductor, seen)
                conductor.send("leave")
                seen.clean_end = session.wait()
                if not seen.clean_end:
                    seen.failure = "a process of the session exited with an error"
            except RunFault as fault:
                seen.failure = str(fault)
        mark(seen, "ended")
        self._note_last(seen)

    def _conduct(
        self,
        cell: Cell,
        folder: Path,
        session: SessionProcess,
        conductor: Conductor,
        seen: Observed,
    ) -> None:
        view = self._view
        wait = view.wait_until
        wait(lambda: len(session.pids()) == len(ENDS), _ESTABLISH_S, "the start of both tunnels")
        mark(seen, "nodes")
        wait(view.in_step, _ESTABLISH_S, "the first handshake")
        mark(seen, "established")
        self._look(seen, "established")
        self._note_first(seen)
        with contextlib.suppress(RunFault):
            wait(self._clocks_compared, _CLOCK_S, "the comparison of clocks")
            mark(seen, "clock")
            seen.clock_synced = True
        session.check()
        wait(lambda: self._recording(cell), _BAG_S, "the start of the recording")
        view.wait_established(_ESTABLISH_S)
        if cell.policy != OFF:
            wait(lambda: view.is_judged(cell.suite), _READY_S, "the policy's first decision")
        wait(lambda: conductor.received("ready"), _READY_S, "the start of the load")
        load = MavlinkCollector(folder / "load.json", session.running)
        # The load writes its report at the end.
        with self._collecting([load], seen):
            with self._collecting(self._collectors(session), seen):
                seen.early = dict(view.events_of("drone"))
                decided = len(view.decisions)
                self._note_first(seen)  # the counters before the traffic
                self._look(seen, "traffic")
                conductor.send("start")
                mark(seen, "traffic")
                view.spin(_REKEY_AT * cell.seconds)
                conductor.send("window rekey")
                self._rekey(cell, seen)
                view.spin(_TAIL_S)
                conductor.send("window steady")
                rest = seen.times["traffic"] + cell.seconds - time.monotonic()
                view.spin(max(rest, _TAIL_S))
                mark(seen, "stopping")
                self._look(seen, "stopping")
            conductor.send("stop")
            wait(lambda: conductor.received("done"), _DONE_S, "the end of the load")
            mark(seen, "done")
        seen.last = {end: as_plain(status) for end, status in view.fresh(_STATUS_S).items()}
        seen.decisions = [as_plain(decision) for decision in view.decisions[decided:]]

    def _look(self, seen: Observed, moment: str) -> None:
        seen.machine[moment] = snapshot(self._sys_root)

    def _note_first(self, seen: Observed) -> None:
        seen.first = {end: self._view.status_of(end) or {} for end in ENDS}

    def _clocks_compared(self) -> bool:
        report = self._view.links.get("drone")
        return report is not None and report.clock_valid

    def _recording(self, cell: Cell) -> bool:
        topics = _BAG_TOPICS if cell.policy == OFF else (*_BAG_TOPICS, DECISIONS)
        return all(self._view.is_recorded(topic) for topic in topics)

    def _collectors(self, session: SessionProcess) -> list[Collector]:
        udp = (session.ports.drone_datagram, session.ports.gcs_datagram)
        plain = (session.ports.drone_plaintext, session.ports.gcs_plaintext)
        return [
            EnvironmentCollector(),
            SystemCollector(session.pids(), self._sys_root),
            NetworkCollector((*udp, *plain)),
            LatencyCollector(lambda: self._view.link_of("drone")),
        ]

    @contextlib.contextmanager
    def _collecting(self, collectors: Sequence[Collector], seen: Observed) -> Iterator[None]:
        for collector in collectors:
            collector.start()
        ends = [
            self._view.every(collector.interval_s, collector.sample)
            for collector in collectors
            if not collector.static
        ]
        try:
            yield
        finally:
            for end in ends:
                end()
            for collector in collectors:
                seen.collected[collector.name] = collector.stop()

    def _rekey(self, cell: Cell, seen: Observed) -> None:
        view = self._view
        before = view.status["drone"].epoch
        view.earlier += view.events_of("drone")
        view.events.clear()
        asked = time.monotonic()
        answer = view.rekey("", _REKEY_S)
        answer_ms = (time.monotonic() - asked) * _MS_PER_S
        record: dict[str, Any] = {
            "suite": cell.suite,
            "success": bool(answer.success),
            "message": answer.message,
            "answer_ms": answer_ms,
            "epoch_before": before,
            "epoch_after": int(answer.epoch),
        }
        seen.rekeys.append(record)
        if not answer.success:
            raise RunFault(f"the rekey failed: {answer.message}")
        view.wait_until(
            lambda: view.in_step() and view.status["gcs"].epoch == answer.epoch,
            _AGREE_S,
            "the agreement of both ends after the rekey",
        )
        with contextlib.suppress(RunFault):
            view.wait_until(lambda: view.rekey_ms() is not None, _EVENT_S, "the rekey's events")
        record |= {
            "total_ms": view.rekey_ms(),
            **rekey_times_ms(answer, view.status["gcs"]),
            "prepared_ahead": bool(answer.timing.prepared_ahead),
        }

    def _note_last(self, seen: Observed) -> None:
        view = self._view
        for end in ENDS:
            status = view.status_of(end)
            if status is not None:
                seen.last.setdefault(end, status)
            link = view.link_of(end)
            if link is not None:
                seen.links[end] = link
            seen.events[end] = dict(view.events_of(end))
            seen.received[end] = {
                name: view.received[end, name] for name in ("status", "link", "diagnostics")
            }
            seen.worst[end] = view.worst_of(end)


def mark(seen: Observed, moment: str) -> None:
    seen.times[moment] = time.monotonic()
