# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A cell at one end: tunnel, load and collectors, without a connection to whoever started it.

The folder has job.json and tunnel.yaml, and gets state.json, result.json, the logs of the load and
status.jsonl, a line of the tunnel's state each second.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.summary_file import read_summary, write_summary

from pqc_bench.cell.scenario import DETECTOR
from pqc_bench.collectors.collector import Collector
from pqc_bench.collectors.disturbance import snapshot
from pqc_bench.collectors.environment import facts
from pqc_bench.collectors.latency import LatencyCollector
from pqc_bench.collectors.network import LOOPBACK, NetworkCollector
from pqc_bench.collectors.system import SystemCollector
from pqc_bench.power.capture import NAME as TRACE
from pqc_bench.power.capture import PowerCapture
from pqc_bench.testbed.fixed_clock import fixed_clock
from pqc_bench.testbed.traffic_log import RECEIVED, SENT, now_ns

JOB, STATE, RESULT, HALF = "job.json", "state.json", "result.json", "half.json"
KEYS = "keys"  # a file that names the folder of the keys
PARAMETERS, STATUSES = "tunnel.yaml", "status.jsonl"
# The phases of a cell in their order, as far as whoever started it waits for them.
PHASES = ("", "starting", "listening", "ended")
_, STARTING, LISTENING, ENDED = PHASES
Plain = dict[str, Any]
_START_S, _WARM_UP_S, _ESTABLISH_S, _CLOCK_S = 60.0, 60.0, 120.0, 30.0
# MAVProxy and the vehicle beside it; what they say and their end are a part of the load's end.
_PROGRAMS_S = 120.0
_REKEY_S, _DONE_S, _END_S = 180.0, 60.0, 20.0
_REKEY_AT, _TAIL_S = 0.4, 0.15
# Meanwhile the run's own programs begin to wait here for the end of the cell.
_SETTLE_S = 1.0
# Each question about the tunnel's state is work of the measured computer.
_POLL_S, _ASK_S, _IDLE_S = 0.02, 0.1, 2.0
_ECHO_MS, _ECHOES = 2000, 5
# With less room than this the logs may have been cut short.
_LEAST_FREE = 1 << 18
_BOOT = Path("/proc/sys/kernel/random/boot_id")


def boot_id() -> str:
    """Return what names the run of this computer since its start."""
    return _BOOT.read_text(encoding="ascii").strip()


def wipe(keys: Path) -> None:
    """Overwrite and remove a folder of keys."""
    for file in keys.rglob("*"):
        if file.is_file() and not file.is_symlink():
            with contextlib.suppress(OSError), file.open("r+b") as content:
                content.write(bytes(file.stat().st_size))
                content.flush()
                os.fsync(content.fileno())
    shutil.rmtree(keys, ignore_errors=True)


def ask(control: Path, request: str, seconds: float) -> Plain:
    """Return the answer of a tunnel's control socket; RunFault if none comes."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as tunnel:
        tunnel.settimeout(seconds)
        try:
            tunnel.connect(str(control))
            tunnel.sendall(f"{request}\n".encode())
            return json.loads(b"".join(iter(lambda: tunnel.recv(1 << 16), b"")))
        except (OSError, ValueError) as error:
            raise RunFault(f"the tunnel gave no answer to {request}: {error}") from error


class EndCell:
    """One end of one cell, in its folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._job: Plain = json.loads((folder / JOB).read_text(encoding="utf-8"))
        self._end: str = self._job["end"]
        self._sys_root = Path(self._job["sys_root"])
        self._phase = STARTING
        self._result: Plain = {"times": {}, "machine": {}, "rekeys": [], "clocks": []}
        self._children: list[tuple[str, subprocess.Popen[str]]] = []
        self._control = Path()
        self._closing = False

    def run(self) -> None:
        """Run it; a fault is a sentence in the state."""
        fault = ""
        signal.signal(signal.SIGTERM, _stop)
        signal.signal(signal.SIGALRM, _late)
        signal.alarm(round(self._job["limit_s"]))
        self._set_phase(STARTING)
        try:
            with contextlib.ExitStack() as stack:
                stack.callback(wipe, Path(self._job["keys"]))
                if self._job["fix_clock"]:
                    stack.enter_context(fixed_clock(self._sys_root))
                place = stack.enter_context(tempfile.TemporaryDirectory(prefix="pqc-"))
                self._control = Path(place) / "tunnel.sock"
                stack.enter_context(self._powered())
                stack.callback(self._end_children)
                self._cell()
            write_summary(self._folder / RESULT, self._result)
        except (RunFault, OSError) as error:
            full = shutil.disk_usage(self._folder).free < _LEAST_FREE
            fault = f"the disk is full: {_sentence(error)}" if full else _sentence(error)
            # A full disk has room for the state again.
            for name in (SENT, RECEIVED, STATUSES):
                (self._folder / name).unlink(missing_ok=True)
        self._set_phase(ENDED, fault)

    @contextlib.contextmanager
    def _powered(self) -> Iterator[None]:
        """Record the power into the folder, if the program for it and a sensor are here."""
        program = Path(self._job["programs"]).expanduser() / self._job["capture"][0]
        words = [str(program), *self._job["capture"][1:]]
        capture = PowerCapture(words, self._folder / TRACE) if program.exists() else None
        if capture is None or len(words) == 1 or not capture.start():
            yield
            return
        self._mark("idle")
        time.sleep(_IDLE_S)
        try:
            yield
        finally:
            capture.stop()
        self._result["monotonic_ahead_s"] = time.monotonic() - now_ns() / 1e9

    def _cell(self) -> None:
        self._mark("launched")
        load = None if self._job["ping"] else self._start_load()
        self._start_scenario()
        time.sleep(_SETTLE_S)
        self._look("launched")
        tunnel = self._start_tunnel()
        self._mark("nodes")
        self._set_phase(LISTENING)
        self._wait(lambda: self._peer()["encrypted"], _ESTABLISH_S, "the first handshake")
        self._mark("established")
        self._look("established")
        if load is None:
            self._ping()
        else:
            self._result["first"] = self._peer()
            self._mark("first")
            with contextlib.suppress(RunFault):
                self._wait(lambda: "clock_error_s" in self._peer(), _CLOCK_S, "the clocks")
                self._mark("clock")
            self._traffic(load, tunnel)
        self._result["last"] = self._peer()
        self._result["facts"] = facts()
        self._closing = True
        tunnel.send_signal(signal.SIGINT)
        try:
            self._result["clean"] = tunnel.wait(_END_S) == 0
        except subprocess.TimeoutExpired:
            self._result["clean"] = False
        self._mark("ended")

    def _traffic(self, load: subprocess.Popen[str], tunnel: subprocess.Popen[str]) -> None:
        if self._end == "drone":
            self._tell(load, "start")
        self._wait_line(load, "started", _ESTABLISH_S)
        seconds: float = self._job["seconds"]
        with self._collecting(self._collectors(tunnel.pid)) as watch:
            self._result["before"] = self._peer()
            self._look("traffic")
            self._mark("traffic")
            began = time.monotonic()
            if self._end == "drone":
                watch(lambda: time.monotonic() - began >= _REKEY_AT * seconds)
                self._rekey(watch)
                watch(lambda: time.monotonic() - began >= seconds)
                self._tell(load, "stop")
            else:
                watch(lambda: load.poll() is not None)
            self._mark("stopping")
            self._look("stopping")
        try:
            code = load.wait(_DONE_S)
        except subprocess.TimeoutExpired:
            raise RunFault("the load did not end") from None
        if code != 0:
            raise RunFault(self._said("load") or "the load has ended too early")
        self._mark("done")
        self._result["half"] = read_summary(self._folder / HALF)
        scenario = [process for name, process in self._children if name == "scenario"]
        for process in scenario:
            process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_END_S)
            self._result["scenario"] = read_summary(self._folder / "scenario.json")

    def _rekey(self, watch: Callable[[Callable[[], bool]], None]) -> None:
        begin, epoch = now_ns(), self._peer()["epoch"]
        answers: list[Plain] = []

        def request() -> None:
            asked = time.monotonic()
            try:
                answer = ask(self._control, "rekey", _REKEY_S)
            except RunFault as fault:
                answer = {"success": False, "message": str(fault)}
            answers.append({**answer, "answer_ms": 1000.0 * (time.monotonic() - asked)})

        thread = threading.Thread(target=request, daemon=True)
        thread.start()
        watch(lambda: not thread.is_alive())
        answered = time.monotonic()
        watch(lambda: time.monotonic() - answered >= _TAIL_S)
        self._result["rekeys"].append({**answers[0], "epoch_before": epoch})
        self._result["rekey_window"] = [begin, now_ns()]

    def _ping(self) -> None:
        if self._end == "drone":
            echoes = [ask(self._control, f"echo {_ECHO_MS}", 10.0) for _ in range(_ECHOES)]
            self._result["echoes"] = echoes
            return
        # The drone's end decides when it is over.
        with contextlib.suppress(RunFault):
            self._wait(lambda: not self._peer()["encrypted"], _DONE_S, "the end")

    def _collectors(self, pid: int) -> list[Collector]:
        ports: list[int] = self._job["ports"]
        return [
            SystemCollector({self._end: pid}, self._sys_root),
            NetworkCollector(ports, _interface_to(self._job["peer_address"])),
            LatencyCollector(self._compared),
        ]

    def _compared(self) -> Plain | None:
        """Return the tunnel's comparison of clocks in the form of a LinkReport."""
        peer, at_ns = self._peer(), now_ns()
        if "clock_error_s" not in peer:
            return None
        self._result["clocks"].append([at_ns, peer["clock_offset_s"], peer["clock_error_s"]])
        return {**peer, "clock_valid": True, "stamp": at_ns}

    @contextlib.contextmanager
    def _collecting(
        self, collectors: Sequence[Collector]
    ) -> Iterator[Callable[[Callable[[], bool]], None]]:
        """Yield a function that waits for a condition, and samples meanwhile."""
        for collector in collectors:
            collector.start()
        due = {collector: time.monotonic() for collector in collectors}

        def watch(condition: Callable[[], bool]) -> None:
            while not condition():
                now = time.monotonic()
                for collector, at in due.items():
                    if at <= now:
                        collector.sample()
                        due[collector] = max(at + collector.interval_s, now)
                self._check()
                time.sleep(_POLL_S)

        try:
            yield watch
        finally:
            self._result["collected"] = {one.name: one.stop() for one in collectors}

    def _start_load(self) -> subprocess.Popen[str]:
        job = self._job
        load = self._start(
            "load",
            [
                *(sys.executable, "-m", "pqc_bench.testbed.half_load", self._end, job["load"]),
                *("--bind", job["application"], "--tunnel", job["plaintext"]),
                *("--folder", str(self._folder), f"--vehicle={job['vehicle']}"),
            ],
        )
        self._wait_line(load, "ready", _PROGRAMS_S)
        return load

    def _start_scenario(self) -> None:
        if self._job["scenario"]:
            words = [
                sys.executable if word == "python3" else word for word in self._job["scenario"]
            ]
            words += ["--summary", str(self._folder / "scenario.json")]
            if DETECTOR in words:
                words += ["--status", str(self._folder / STATUSES)]
            self._wait_line(self._start("scenario", words), "", _WARM_UP_S)

    def _start_tunnel(self) -> subprocess.Popen[str]:
        role = self._end
        program = Path(self._job["programs"]).expanduser() / "pqc_tunneld"
        words = [str(program), "--role", role, "--config", str(self._folder / PARAMETERS)]
        words += ["--control", str(self._control), "--status", "-"]
        words += ["-p", f"identity_dir:={self._job['keys']}"]
        with (self._folder / STATUSES).open("wb") as statuses:
            tunnel = self._start("tunnel", words, statuses)
        self._wait(self._control.exists, _START_S, "the start of the tunnel")
        return tunnel

    def _start(
        self, name: str, words: list[str], output: IO[bytes] | int = subprocess.PIPE
    ) -> subprocess.Popen[str]:
        with (self._folder / f"{name}.log").open("wb") as log:
            try:
                process = subprocess.Popen(
                    words, stdin=subprocess.PIPE, stdout=output, stderr=log, text=True
                )
            except OSError as error:
                raise RunFault(f"'{words[0]}' can't be run: {error.strerror}") from error
        self._children.append((name, process))
        return process

    def _end_children(self) -> None:
        for _, process in reversed(self._children):
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(_END_S)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def _wait_line(self, process: subprocess.Popen[str], line: str, seconds: float) -> None:
        """Wait until a program has written a line, or anything where `line` is empty."""
        found: IO[str] | None = process.stdout
        assert found is not None
        ready, _, _ = select.select([found], [], [], seconds)
        said = found.readline().strip() if ready else ""
        if not said or (line and said != line):
            self._check()
            name = next(name for name, child in self._children if child is process)
            raise RunFault(self._said(name) or f"the {name} did not start in {seconds:.0f} s")

    def _wait(self, condition: Callable[[], bool], seconds: float, event: str) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            self._check()
            if time.monotonic() > deadline:
                raise RunFault(f"{event} didn't happen within {seconds:.0f} s")
            time.sleep(_ASK_S)

    def _check(self) -> None:
        for name, process in self._children:
            # A load ends by itself, and says whether it was good.
            if name == "tunnel" and process.poll() is not None and not self._closing:
                raise RunFault(f"the tunnel has ended: {self._said(name)}")

    def _said(self, name: str) -> str:
        text = (self._folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
        lines = text.strip().splitlines()
        return lines[-1] if lines else ""

    def _tell(self, load: subprocess.Popen[str], word: str) -> None:
        assert load.stdin is not None
        try:
            load.stdin.write(f"{word}\n")
            load.stdin.flush()
        except OSError:
            raise RunFault(self._said("load") or "the load has ended too early") from None

    def _peer(self) -> Plain:
        self._check()
        return ask(self._control, "status", 10.0)["peers"][0]

    def _look(self, moment: str) -> None:
        self._result["machine"][moment] = snapshot(self._sys_root)

    def _mark(self, moment: str) -> None:
        self._result["times"][moment] = now_ns() / 1e9

    def _set_phase(self, phase: str, fault: str = "") -> None:
        self._phase = phase
        state = {"phase": phase, "fault": fault, "boot": boot_id(), "pid": os.getpid()}
        write_summary(self._folder / STATE, {**state, "run": self._job["run"]})


def _interface_to(address: str) -> str:
    """Return the interface through which an address is reached; the loopback one if unknown."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        command = ["ip", "-o", "route", "get", address]
        words = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
        return words[words.index("dev") + 1]
    return LOOPBACK


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def _stop(*_: object) -> None:
    raise RunFault("it was stopped")


def _late(*_: object) -> None:
    raise RunFault("the cell took too long")
