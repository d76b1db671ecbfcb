# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs pqc_power_capture on the computer that has the sensor."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault

NAME = "power.csv.gz"  # of a trace
PROGRAM = "pqc_power_capture"
_NO_SENSOR = 3
_END_S = 10.0


class PowerCapture:
    """A capture into a file, from `start` to `stop`; it ends with this program, whatever happens.

    `command` is the program with its options, but for --out, and with what starts it on another
    computer before it; `trace` is a path there.
    """

    def __init__(self, command: Sequence[str], trace: Path) -> None:
        self._command = [*command, "--until-input-ends", "--out", str(trace)]
        self._process: subprocess.Popen[str] | None = None
        self.sensor: str | None = None

    def start(self) -> bool:
        """Return whether there is a sensor, once it records; RunFault if it can't be read."""
        process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stderr is not None
        line = process.stderr.readline()
        try:
            self.sensor = json.loads(line)["sensor"]
        except (ValueError, KeyError, TypeError):
            code = self._end(process)
            if code == _NO_SENSOR:
                return False
            said = line.strip() or f"it ended with {code}"
            raise RunFault(f"the power was not recorded: {said}") from None
        self._process = process
        return True

    def stop(self) -> bool:
        """End it; return whether it has recorded a trace. RunFault if it failed."""
        process, self._process = self._process, None
        if process is None:
            return False
        code = self._end(process)
        if code != 0:
            raise RunFault(f"the power was not recorded: its program ended with {code}")
        return True

    def _end(self, process: subprocess.Popen[str]) -> int:
        assert process.stdin is not None
        process.stdin.close()
        try:
            return process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()
