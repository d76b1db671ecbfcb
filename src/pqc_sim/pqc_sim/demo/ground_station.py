# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`ground_station`: a headless MAVProxy that prepares and flies a mission, then watches.

It downloads the parameters, uploads a mission, reads it back and, if asked to, flies it. SIGUSR1
makes it download the parameters once more, after all this.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from pqc_sim.demo.mavproxy import GroundProgramError, MavProxy
from pqc_sim.processes.command_line import Parser, endpoint
from pqc_sim.processes.summary_file import write_summary

_TAKEOFF_M = 10.0
_LOOK_S = 0.2
# MAVProxy sends a command once, and a link may lose it or its answer.
_TRIES = 5


class _Stopped(BaseException):
    """A signal asked to stop."""


class GroundStation:
    """Executes the steps of a flight and records each in the summary."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._asked_again = False
        self._summary: dict[str, Any] = {
            "role": "ground_station",
            "pid": os.getpid(),
            "state": "starting",
            "step": "starting",  # the last state before the end
            "vehicle": None,
            "parameters": None,
            "parameters_again": None,
            "links_lost": 0,
            "mission_items": None,
            "fault": None,
        }

    def run(self) -> int:
        """Execute all steps, then wait for a signal; return the exit code."""
        self._write()
        with tempfile.TemporaryDirectory(prefix="ground_station-") as folder:
            ground: MavProxy | None = None
            try:
                ground = MavProxy(self._options.listen, Path(folder))
                self._work(ground)
                self._watch(ground)
            except _Stopped:
                return self._finish(None)
            except GroundProgramError as error:
                return self._finish(str(error))
            finally:
                if ground is not None:
                    ground.close()
                    self._summary["links_lost"] = ground.links_lost
                self._note(state="finished")

    def _work(self, ground: MavProxy) -> None:
        ground.wait_until_listening()
        self._note(state="waiting")
        self._note(vehicle=ground.wait_for_vehicle(timeout_s=None), state="downloading")
        self._note(parameters=len(ground.download_parameters()))
        if self._options.mission is not None:
            self._note(state="uploading")
            mission = self._options.mission
            _persist(lambda: self._upload(ground, mission))
            if self._options.fly:
                self._fly(ground)
        self._note(state="watching")

    def _watch(self, ground: MavProxy) -> None:
        """Wait for a signal, until MAVProxy ends."""
        while True:
            ground.watch(_LOOK_S)
            if ground.links_lost != self._summary["links_lost"]:
                self._note(links_lost=ground.links_lost)
            if self._asked_again:
                self._asked_again = False
                _persist(lambda: self._note(parameters_again=len(ground.download_parameters())))

    def ask_again(self) -> None:
        """Download the parameters once more when there is time."""
        self._asked_again = True

    def _upload(self, ground: MavProxy, mission: Path) -> None:
        accepted = ground.upload_mission(mission)
        # The first line of a mission file is its title.
        held = len(ground.download_mission()) - 1
        if held != accepted:
            raise GroundProgramError(
                f"the vehicle accepted {accepted} mission items but has {held}"
            )
        self._note(mission_items=accepted)

    def _fly(self, ground: MavProxy) -> None:
        self._note(state="taking off")
        ground.wait_for("GPS lock at")
        _persist(lambda: ground.set_mode("GUIDED"))
        _persist(lambda: leave_the_ground(ground, _TAKEOFF_M))
        _persist(lambda: ground.set_mode("AUTO"))

    def _finish(self, fault: str | None) -> int:
        # Ignore further signals: closing takes a moment and must complete.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        self._note(fault=fault)
        if fault is not None:
            print(f"ground_station: {fault}", file=sys.stderr)
            return 1
        return 0

    def _note(self, **news: Any) -> None:
        self._summary.update(news)
        if self._summary["state"] != "finished":
            self._summary["step"] = self._summary["state"]
        self._write()

    def _write(self) -> None:
        if self._options.summary is not None:
            write_summary(self._options.summary, self._summary)


def leave_the_ground(ground: MavProxy, height_m: float) -> None:
    """Arm and take off to a height in m, in GUIDED; GroundProgramError if either fails.

    The two belong together: a vehicle that waits on the ground for long disarms itself, so whoever
    repeats one must repeat both.
    """
    _require("arm", ground.arm())
    _require("take off", ground.take_off(height_m))


def _persist(step: Callable[[], None]) -> None:
    """Take a step, if necessary again; GroundProgramError if it fails each time."""
    for _ in range(_TRIES - 1):
        with contextlib.suppress(GroundProgramError):
            return step()
    return step()


def _require(step: str, answer: str) -> None:
    if answer != "ACCEPTED":
        raise GroundProgramError(f"the vehicle refused to {step}: {answer}")


def _stop(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise _Stopped


def _parser() -> Parser:
    parser = Parser(
        prog="ground_station", description="MAVProxy without a terminal, with an automatic flight."
    )
    address: dict[str, Any] = {"type": endpoint, "metavar": "HOST:PORT", "required": True}
    parser.option("--listen", "address that the vehicle's MAVLink arrives at", **address)
    parser.option("--mission", "mission to upload", type=Path, metavar="FILE")
    parser.option("--fly", "arm, take off and fly the mission", action="store_true")
    parser.option("--summary", "file for the progress as JSON", type=Path, metavar="FILE")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run the ground station until it's stopped; 0 after a clean stop, 1 after a fault."""
    options = _parser().parse_args(arguments)
    if options.mission is not None and not options.mission.is_file():
        print(f"ground_station: there is no mission file '{options.mission}'", file=sys.stderr)
        return 1
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _stop)
    station = GroundStation(options)
    signal.signal(signal.SIGUSR1, lambda _number, _frame: station.ask_again())
    try:
        return station.run()
    except _Stopped:
        return 0


if __name__ == "__main__":
    sys.exit(main())
