# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The demonstration's launch as a child, its programs' summaries, and the order to end them in."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import Any

from pqc_sim.pair.tunnel_launch import explain, launch_command
from pqc_sim.processes.process_group import ProcessGroup
from pqc_sim.processes.summary_file import read_summary

_ORDERLY_S = 40.0
_INTERRUPTED_S = 15.0
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
        command = launch_command("pqc_sim", "demo.launch.py", {"summary_dir": folder, **arguments})
        self._processes = ProcessGroup(command, folder / "launch.log")

    def __enter__(self) -> Launched:
        """Use it; it's running already."""
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self.end()

    @property
    def log(self) -> Path:
        """The file with what all programs have written."""
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
        if self.running and self.signal("ground", signal.SIGINT):
            self._processes.wait(_ORDERLY_S)
        self._processes.end(_INTERRUPTED_S)

    def fault(self) -> str:
        """Return the most telling sentence of the log about an early end."""
        return explain(self._processes.output())
