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

from pqc_sim.pair.identities import make_identities
from pqc_sim.pair.parameters import DRONE
from pqc_sim.pair.ports import free_ports
from pqc_sim.pair.tunnel_launch import explain, launch_command
from pqc_sim.processes.process_group import ProcessGroup
from pqc_sim.processes.summary_file import read_summary

_ORDERLY_S = 40.0
_INTERRUPTED_S = 15.0
_PORTS = (
    "drone_plaintext_port",
    "gcs_plaintext_port",
    "tap_port",
    "ground_port",
    "drone_datagram_port",
    "gcs_datagram_port",
    "link_datagram_port",
    "handshake_port",
    "link_handshake_port",
    "mirror_port",
)
_RATE_SUMMARIES = 4


def identity_arguments(folder: Path) -> dict[str, str]:
    """Make fresh keys below a folder; return the launch arguments that name them."""
    keys = make_identities(folder / "keys")
    return {"gcs_identity_dir": str(keys / "gcs"), "drone_identity_dir": str(keys / DRONE)}


def port_arguments() -> dict[str, str]:
    """Return launch arguments with free ports."""
    return {name: str(port) for name, port in zip(_PORTS, free_ports(len(_PORTS)), strict=True)}


class Launched:
    """One running demo.launch.py."""

    def __init__(self, folder: Path, arguments: dict[str, str]) -> None:
        """Start it; `folder` takes the summaries and the log."""
        self._folder = folder
        command = launch_command("pqc_sim", "demo.launch.py", {"summary_dir": folder, **arguments})
        self._processes = ProcessGroup(command, folder / "launch.log")

    def __enter__(self) -> Launched:
        """Return it; it runs already."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self.end()

    @property
    def log(self) -> Path:
        """The file with the output of all programs."""
        return self._processes.log

    @property
    def running(self) -> bool:
        """Whether it still runs."""
        return self._processes.running

    @property
    def pid(self) -> int:
        """The process id of the launch."""
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

    def end(self) -> None:
        """End all programs, the senders first; kill those that don't end."""
        if self.running and self.signal("ground", signal.SIGINT):
            self._processes.wait(_ORDERLY_S)
        self._processes.end(_INTERRUPTED_S)

    def fault(self) -> str:
        """Return the cause of an early end, one sentence of the log."""
        return explain(self._processes.output())


class Rate:
    """The rate at which one program receives datagrams, over its last few summaries."""

    def __init__(self) -> None:
        """Start without summaries."""
        self._points: deque[tuple[float, int]] = deque(maxlen=_RATE_SUMMARIES)

    def update(self, summary: dict[str, Any]) -> float | None:
        """Add the newest summary; return the rate in Hz, or None while it is unknown."""
        if "received" in summary:
            point = (summary["uptime_s"], summary["received"]["datagrams"])
            if not self._points or point[0] > self._points[-1][0]:
                self._points.append(point)
        if len(self._points) < 2:
            return None
        (began, before), (ended, after) = self._points[0], self._points[-1]
        return (after - before) / (ended - began)
