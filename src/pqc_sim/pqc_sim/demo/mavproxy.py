# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs MAVProxy without a terminal, through its commands and its output."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from pqc_testing.child import die_with_parent

from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.processes.run_fault import RunFault

_LINK_DOWN = re.compile(r"^link \S+ down\b")
_LINK_FIGURES = re.compile(r"\blink \S+ \w+ \((\d+) packets?, .*?(\d+) lost, ([\d.]+)% loss")
_MODULES = "param,wp,arm,mode,cmdlong,misc"
_START_S = 60.0
_ANSWER_S = 10.0
# Shorter: MAVProxy sends a command once, and another try costs little.
_COMMAND_ANSWER_S = 4.0
_STOP_S = 10.0


class GroundProgramError(RunFault):
    """MAVProxy can't be started, has ended early, or hasn't answered as expected."""


def find_mavproxy() -> list[str]:
    """Return the words that run MAVProxy: beside the interpreter, on the path, or as its module."""
    beside = Path(sys.executable).with_name("mavproxy.py")
    if beside.exists():
        return [sys.executable, str(beside)]
    # It may belong to another interpreter, which its first line names.
    if (found := shutil.which("mavproxy.py")) is not None:
        return [found]
    if find_spec("MAVProxy") is not None:
        return [sys.executable, "-m", "MAVProxy.mavproxy"]
    raise GroundProgramError("MAVProxy isn't installed: there's no 'mavproxy.py' on the path")


class MavProxy:
    """One running MAVProxy; use it as a context manager.

    All its files go to a folder of its own, not to the user's. Each method sends a command, waits
    for the answer, and raises GroundProgramError if none arrives in time.
    """

    def __init__(
        self, master: Endpoint | str, folder: Path, *, out: Endpoint | None = None, baud: int = 0
    ) -> None:
        """Start MAVProxy; `folder` takes its state and its log.

        It listens on a UDP address for its vehicle, or opens a serial device at `baud`, and passes
        everything on to and from `out`.
        """
        words = find_mavproxy()
        self._folder = folder
        self._lines: list[str] = []
        self._command = ""  # the newest command
        self._ended = False
        self._news = threading.Condition()
        self._log: IO[str] = (folder / "mavproxy.log").open("w", encoding="utf-8")
        environment = {
            **os.environ,
            # Without the user's start-up scripts and keys.
            "HOME": str(folder),
            "MPLCONFIGDIR": str(folder),
            "PYTHONUNBUFFERED": "1",
        }
        self._process = subprocess.Popen(
            [
                *words,
                f"--master={f'udpin:{master}' if isinstance(master, Endpoint) else master}",
                *([f"--baudrate={baud}"] if baud else []),
                *([f"--out=udpout:{out}"] if out is not None else []),
                f"--default-modules={_MODULES}",
                "--no-state",
                f"--state-basedir={folder}",
            ],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            # The terminal's interrupt key must not reach it.
            start_new_session=True,
            preexec_fn=die_with_parent,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> MavProxy:
        """Return it; it runs already."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def link_figures(self) -> dict[str, float | int]:
        """Return what it counts of its link to the vehicle, the loss by MAVLink's sequence."""
        place = self.send("link")
        found = self.wait_for(_LINK_FIGURES, place)
        return {"packets": int(found[1]), "lost": int(found[2]), "loss_percent": float(found[3])}

    def send(self, command: str) -> int:
        """Send a command; return the place in the output where its answers begin."""
        with self._news:
            place = len(self._lines)
        self._command = command
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise GroundProgramError(self._last_words()) from error
        return place

    def wait_for(
        self, pattern: str | re.Pattern[str], since: int = 0, timeout_s: float | None = _ANSWER_S
    ) -> re.Match[str]:
        """Wait until a line matches the pattern, without a timeout for ever.

        Lines before `since` don't count.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        searched = since
        with self._news:
            while True:
                for line in self._lines[searched:]:
                    match = re.search(pattern, line)
                    if match is not None:
                        return match
                searched = len(self._lines)
                if self._ended:
                    raise GroundProgramError(self._last_words())
                wait_s = None if deadline is None else deadline - time.monotonic()
                if not self._news.wait(wait_s):
                    lacks = (
                        f"got no answer to '{self._command}'" if self._command else "saw nothing"
                    )
                    raise GroundProgramError(f"MAVProxy {lacks} within {timeout_s:g} s")

    def watch(self, seconds: float) -> None:
        """Wait for so long; GroundProgramError if MAVProxy ends by itself meanwhile."""
        with self._news:
            if self._news.wait_for(lambda: self._ended, seconds):
                raise GroundProgramError(self._last_words())

    @property
    def links_lost(self) -> int:
        """Return how often MAVProxy has heard nothing of the vehicle for 5 s."""
        with self._news:
            return sum(_LINK_DOWN.search(line) is not None for line in self._lines)

    def wait_until_listening(self) -> None:
        """Wait until it listens on its address."""
        self.wait_for("Waiting for heartbeat from", timeout_s=_START_S)

    def wait_for_vehicle(self, timeout_s: float | None = _START_S) -> int:
        """Wait for a vehicle, without a timeout for ever; return its system id."""
        return int(self.wait_for(r"Detected vehicle (\d+):", timeout_s=timeout_s)[1])

    def download_parameters(self, timeout_s: float = _START_S) -> dict[str, float]:
        place = self.send("param fetch")
        count = int(self.wait_for(r"Received (\d+) parameters", place, timeout_s)[1])
        file = self._folder / "vehicle.parm"
        place = self.send(f"param save {file.name}")
        self.wait_for(r"Saved \d+ parameters", place)
        values = dict(_parameters_in(file))
        if len(values) != count:
            raise GroundProgramError(f"MAVProxy received {count} parameters but has {len(values)}")
        return values

    def upload_mission(self, file: Path) -> int:
        """Send a mission file; return how many items the vehicle accepted."""
        # Without its folder: in a command, a path with spaces is several words.
        shutil.copyfile(file, self._folder / "mission.waypoints")
        place = self.send("wp load mission.waypoints")
        loaded = self.wait_for(r"Loaded (\d+) waypoints? from|Unable to load (.*)", place)
        if loaded[1] is None:
            raise GroundProgramError(f"MAVProxy can't load the mission {loaded[2]}")
        answer = self.wait_for(r"Got MISSION_ACK: \S+: (\w+)", place)[1]
        if answer != "ACCEPTED":
            raise GroundProgramError(f"the vehicle refused the mission: {answer}")
        return int(loaded[1])

    def download_mission(self) -> list[str]:
        """Fetch the mission from the vehicle; return the lines of the mission file."""
        file = self._folder / "vehicle.waypoints"
        place = self.send(f"wp save {file.name}")
        self.wait_for(r"Saved \d+ waypoints? to", place)
        return file.read_text(encoding="utf-8").splitlines()

    def arm(self) -> str:
        """Arm; return the vehicle's answer, e.g. ACCEPTED or FAILED."""
        return self.command("arm throttle", "COMPONENT_ARM_DISARM")

    def set_mode(self, mode: str) -> None:
        """Change the flight mode, and wait until the vehicle is in it."""
        place = self.send(f"mode {mode}")
        self.wait_for(rf"Mode {mode}\b", place)

    def take_off(self, height_m: float) -> str:
        """Take off in GUIDED; return the vehicle's answer."""
        return self.command(f"takeoff {height_m:g}", "NAV_TAKEOFF")

    def close(self) -> None:
        """Stop MAVProxy; its own way to end is the end of its input."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()
        self._log.close()

    def command(self, text: str, name: str) -> str:
        """Send a command of MAVLink; return the vehicle's answer to it, such as FAILED."""
        place = self.send(text)
        return self.wait_for(rf"Got COMMAND_ACK: {name}: (\w+)", place, _COMMAND_ANSWER_S)[1]

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._log.write(line)
            self._log.flush()
            with self._news:
                self._lines.append(line.rstrip("\n"))
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def _last_words(self) -> str:
        spoken = [line for line in self._lines if line.strip()]
        return f"MAVProxy ended early: {spoken[-1] if spoken else 'no output'}"


def _parameters_in(file: Path) -> list[tuple[str, float]]:
    pairs = (line.split() for line in file.read_text(encoding="utf-8").splitlines())
    return [(pair[0], float(pair[1])) for pair in pairs if len(pair) >= 2]
