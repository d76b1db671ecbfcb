# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The controlling side of the control socket of a load (control.py is the other)."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path
from typing import Self

from pqc_sim.processes.run_fault import RunFault


class Conductor:
    """Listens for one load; use it as a context manager. No call blocks."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen(1)
        self._listener.setblocking(False)
        self._load: socket.socket | None = None
        self._text = b""
        self._words: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection, which ends a running load."""
        if self._load is not None:
            self._load.close()
        self._listener.close()
        self.path.unlink(missing_ok=True)

    def received(self, word: str) -> bool:
        """Return whether the load has sent a word: ready or done."""
        with contextlib.suppress(BlockingIOError):
            if self._load is None:
                self._load, _ = self._listener.accept()
                self._load.setblocking(False)
            self._text += self._load.recv(4096)
        *lines, self._text = self._text.split(b"\n")
        self._words |= {line.decode() for line in lines}
        return word in self._words

    def send(self, command: str) -> None:
        """Send a command; RunFault if the load has ended."""
        try:
            assert self._load is not None
            self._load.sendall(f"{command}\n".encode())
        except OSError as error:
            raise RunFault("the load has ended too early") from error
