# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The launch file as a child process, its log, and the way to end it in good order."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import IO, Any

from pqc_bench.child import end_with_parent
from pqc_bench.demo.fault import DemoFault
from pqc_bench.summary_file import read_summary

_ORDERLY_S = 40.0
_INTERRUPTED_S = 15.0
# What a process says just before it gives up; launch puts "[name-1] " in front.
_SPOKEN = re.compile(r"^\[(?P<who>[\w.]+)-\d+\] (?P<text>.+)$")
_LOGGED = re.compile(r"^\[(?P<level>FATAL|ERROR)\] \[[\d.]+\] \[[^\]]*\]: (?P<text>.+)$")
_DIED = re.compile(
    r"^\[ERROR\] \[(?P<who>[\w.]+)-\d+\]: process has died .*exit code (?P<code>-?\d+)"
)
_REFUSED = re.compile(r"^(?:\[ERROR\] \[launch\]: )?Caught exception in launch.*?: (?P<text>.+)$")
SUMMARIES = {
    "vehicle": "vehicle.json",
    "tap": "tap.json",
    "ground": "ground.json",
    "link": "link.json",
}


class Launched:
    """One running demo.launch.py."""

    def __init__(self, folder: Path, arguments: dict[str, str]) -> None:
        """Start it; `folder` takes the summaries and the log."""
        self._folder = folder
        self.log = folder / "launch.log"
        self._ended = False
        command = ["ros2", "launch", "pqc_tunnel", "demo.launch.py", f"summary_dir:={folder}"]
        command += [f"{name}:={value}" for name, value in arguments.items()]
        self._output: IO[bytes] = self.log.open("wb")
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=subprocess.STDOUT,
                # The terminal's interrupt key is the demo's alone: it ends things in their order.
                start_new_session=True,
                # Whatever becomes of the demo, nothing it started flies on.
                preexec_fn=end_with_parent,
            )
        except FileNotFoundError as error:
            self._output.close()
            raise DemoFault("the command 'ros2' isn't on the path") from error

    def __enter__(self) -> Launched:
        """Use it; it's running already."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self.end()

    @property
    def running(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """The process id of the launch."""
        return self._process.pid

    def summary(self, name: str) -> dict[str, Any]:
        """Return what a program (a key of SUMMARIES) last wrote; empty before that."""
        return read_summary(self._folder / SUMMARIES[name]) or {}

    def signal(self, name: str, number: signal.Signals) -> bool:
        """Send a signal to a program that has written its summary; False if it's not there."""
        summary = self.summary(name)
        if not summary or summary["state"] == "finished":
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(summary["pid"], number)
            return True
        return False

    def end(self) -> None:
        """End everything: first what sends, then what listens; whatever resists is killed."""
        if self._ended:
            return
        self._ended = True
        if self.running and self.signal("ground", signal.SIGINT):
            self._wait(_ORDERLY_S)
        if self.running:
            self._process.send_signal(signal.SIGINT)
            self._wait(_INTERRUPTED_S)
        # Its session has its own process group, which holds nothing but its children.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._output.close()

    def fault(self) -> str:
        """Return the most telling sentence of the log about an early end."""
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return explain(lines)

    def _wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while self.running and time.monotonic() < deadline:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.1)


def explain(lines: list[str]) -> str:
    """Find out from a launch log what failed: the last words of the first process that died."""
    said: dict[str, str] = {}
    for line in lines:
        died = _DIED.match(line)
        if died is not None:
            who = died["who"]
            return f"{who} failed: " + said.get(who, f"exit code {died['code']}")
        refused = _REFUSED.match(line)
        if refused is not None:
            return refused["text"]
        spoken = _SPOKEN.match(line)
        if spoken is not None:
            _remember(said, spoken["who"], spoken["text"])
    words = [line for line in lines if line.strip()]
    return f"the launch ended early: {words[-1] if words else 'it said nothing'}"


def _remember(said: dict[str, str], who: str, text: str) -> None:
    logged = _LOGGED.match(text)
    if logged is not None:
        said[who] = logged["text"]
    elif not text.startswith("["):
        said[who] = text.removeprefix(f"{who}: ")
