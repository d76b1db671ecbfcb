# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A command that writes to a log and leaves no process behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from pqc_testing.child import end_with_parent

from pqc_sim.processes.run_fault import RunFault


class ProcessGroup:
    """A command and its children, in a session of their own.

    The terminal's interrupt key doesn't reach them; the end of this process interrupts the command.
    """

    def __init__(
        self, command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        """Start it; `environment` extends this process's. RunFault if there is no such command."""
        self.log = log
        self._ended = False
        with log.open("wb") as output:
            try:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, **(environment or {})},
                    start_new_session=True,
                    preexec_fn=end_with_parent,
                )
            except FileNotFoundError as error:
                raise RunFault(f"the command '{command[0]}' isn't on the path") from error

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.poll() is None

    def output(self) -> list[str]:
        """Return the lines that the command and its children have written."""
        return self.log.read_text(encoding="utf-8", errors="replace").splitlines()

    def wait(self, seconds: float) -> int | None:
        """Wait for the command's end; return its exit code, or None if it still runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def end(self, seconds: float) -> None:
        """Interrupt the command, wait for its end, and kill the rest of the group."""
        if self._ended:
            return
        self._ended = True
        if self.running:
            self._process.send_signal(signal.SIGINT)
            self.wait(seconds)
        # The process group of the session contains only the command and its children.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
