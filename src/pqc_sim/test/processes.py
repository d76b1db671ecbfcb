# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Starts this package's programs on free ports and waits for what their summaries say."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from signal import SIGINT, Signals
from types import TracebackType
from typing import Any

from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.processes.summary_file import read_summary
from pqc_testing.ports import free_ports

HOST = "127.0.0.1"
LIMIT_S = 120.0


def free_endpoint() -> Endpoint:
    """Return a loopback address with a UDP port that nobody uses."""
    return Endpoint(HOST, *free_ports(1))


class Program:
    """One running program with a summary file."""

    def __init__(self, module: str, summary: Path, *arguments: object) -> None:
        self.summary_file = summary
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                module,
                "--summary",
                str(summary),
                *(str(argument) for argument in arguments),
            ],
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Program:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()

    @property
    def summary(self) -> dict[str, Any]:
        """The text that the program wrote last; empty before that."""
        return read_summary(self.summary_file) or {}

    def wait_until(self, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Wait until the summary fulfils a condition, and return it."""
        deadline = time.monotonic() + LIMIT_S
        while not condition(self.summary):
            assert self._process.poll() is None, self._process.communicate()[1]
            assert time.monotonic() < deadline, self.summary
            time.sleep(0.02)
        return self.summary

    def signal(self, number: Signals) -> None:
        self._process.send_signal(number)

    def stop(self, number: Signals = SIGINT) -> dict[str, Any]:
        """Stop it; return its last summary after a clean end."""
        self.signal(number)
        assert self.wait() == 0
        assert self.summary["state"] == "finished"
        return self.summary

    def wait(self) -> int:
        """Wait for its end; return the exit code."""
        return self._process.wait(LIMIT_S)

    def errors(self) -> str:
        """Return what it wrote to standard error, once it has ended."""
        assert self._process.stderr is not None
        return self._process.stderr.read()


def vehicle(folder: Path, tunnel: Endpoint, *more: object) -> Program:
    """Start a vehicle that sends to an address."""
    own = Endpoint(HOST, 0)
    summary = folder / "vehicle.json"
    arguments = ("--bind", own, "--tunnel", tunnel, *more)
    return Program("pqc_sim.vehicle.vehicle_process", summary, *arguments)


def ground_tap(folder: Path, bind: Endpoint, ground: Endpoint, *more: object) -> Program:
    own = Endpoint(HOST, 0)
    arguments = ("--bind", bind, "--ground-bind", own, "--ground", ground, *more)
    return Program("pqc_sim.demo.ground_tap", folder / "tap.json", *arguments)
