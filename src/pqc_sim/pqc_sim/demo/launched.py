# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The demonstration's launch as a child process: its arguments, its summaries, its end."""

from __future__ import annotations

import contextlib
import os
import signal
from collections import deque
from pathlib import Path
from typing import Any

from pqc_testing.ports import free_ports

from pqc_sim.demo.live_view import Flow
from pqc_sim.pair.identities import make_identities
from pqc_sim.pair.parameters import DRONE
from pqc_sim.pair.tunnel_launch import explain, failure_in, launch_command
from pqc_sim.processes.process_group import ProcessGroup
from pqc_sim.processes.summary_file import read_summary

_INTERRUPTED_S = 3.0
_PORTS = (
    "drone_plaintext_port",
    "gcs_plaintext_port",
    "tap_port",
    "ground_port",
    "drone_datagram_port",
    "gcs_datagram_port",
    "link_datagram_port",
    "mirror_port",
)
_RATE_SUMMARIES = 4
_SAME_TIME_S = 0.2
# After a longer gap, sequence numbers of 8 bits no longer give the number of lost datagrams.
_LONGEST_GAP = 128
_ONE_TIME_KEYS = 2  # each takes 0.1 s to make


def identity_arguments(folder: Path) -> dict[str, str]:
    """Make fresh keys below a folder; return the launch arguments that name them."""
    keys = make_identities(folder / "keys", one_time_keys=_ONE_TIME_KEYS)
    return {"gcs_identity_dir": str(keys / "gcs"), "drone_identity_dir": str(keys / DRONE)}


def port_arguments() -> dict[str, str]:
    return {name: str(port) for name, port in zip(_PORTS, free_ports(len(_PORTS)), strict=True)}


class Launched:
    """One running demo.launch.py."""

    def __init__(self, folder: Path, arguments: dict[str, str]) -> None:
        """Start it; `folder` takes the summaries and the log."""
        self._folder = folder
        command = launch_command("pqc_sim", "demo.launch.py", {"summary_dir": folder, **arguments})
        # The temporary files of all programs disappear with the folder.
        environment = {"TMPDIR": str(folder)}
        self._processes = ProcessGroup(command, folder / "launch.log", environment)

    def __enter__(self) -> Launched:
        """Return it; it runs already."""
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Interrupt what still runs, and kill what doesn't end soon."""
        self._processes.end(_INTERRUPTED_S)

    @property
    def log(self) -> Path:
        return self._processes.log

    @property
    def running(self) -> bool:
        return self._processes.running

    @property
    def pid(self) -> int:
        return self._processes.pid

    def summary(self, name: str) -> dict[str, Any]:
        """Return the newest summary of vehicle, tap, ground or link; empty if there is none."""
        return read_summary(self._folder / f"{name}.json") or {}

    def signal(self, name: str, number: signal.Signals) -> bool:
        """Send a signal to a program that has written its summary; False if it doesn't run."""
        summary = self.summary(name)
        if not summary or summary["state"] == "finished":
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(summary["pid"], number)
            return True
        return False

    @property
    def failed(self) -> bool:
        return not self.running or bool(failure_in(self._processes.output()))

    def fault(self) -> str:
        """Return why it ended early, or would have: one sentence of the log."""
        return explain(self._processes.output())


class FlowWatch:
    """One direction: its counts from the newest summaries, and its rate over the last few."""

    def __init__(self, name: str) -> None:
        """Start without summaries."""
        self._name = name
        self._lost = 0
        self._points: deque[tuple[float, int]] = deque(maxlen=_RATE_SUMMARIES)

    def update(self, sender: dict[str, Any], receiver: dict[str, Any]) -> Flow:
        """Return the flow, given the newest summaries of both ends."""
        received = receiver.get("received", {})
        if received:
            point = (receiver["uptime_s"], received["datagrams"])
            if not self._points or point[0] > self._points[-1][0]:
                self._points.append(point)
        went, came = sender.get("sent", {}).get("datagrams", 0), received.get("datagrams", 0)
        if received and abs(sender.get("time_s", 0.0) - receiver["time_s"]) < _SAME_TIME_S:
            # The receiver's count, because some of the difference is still on its way.
            missing = received["missing"]
            self._lost = missing if went - came - missing < _LONGEST_GAP else went - came
        corrupted = received.get("corrupted", 0)
        return Flow(self._name, self._rate_hz(), went, came, self._lost, corrupted)

    def _rate_hz(self) -> float | None:
        if len(self._points) < 2:
            return None
        (began, before), (ended, after) = self._points[0], self._points[-1]
        return (after - before) / (ended - began)
