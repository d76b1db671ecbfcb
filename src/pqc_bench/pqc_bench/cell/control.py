# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The load's side of the control socket: start, open a window, stop.

The cell run listens on a UNIX socket (conductor.py); a load connects when it is ready. Commands are
lines: start, window NAME, stop, leave.
"""

from __future__ import annotations

import contextlib
import select
import signal
import socket
from typing import Protocol, Self

from pqc_sim.processes.signal_pipe import SignalPipe


class Windowed(Protocol):
    """A load that counts datagrams by window."""

    def open_window(self, name: str) -> None:
        """Count datagrams sent from now on under this name."""


class Control:
    """Use it as a context manager in the main thread; SIGINT and SIGTERM stop the load, too."""

    def __init__(self, path: str) -> None:
        self._over = False
        self._left = False
        self._text = b""
        self._lines: list[str] = []
        self._signals = SignalPipe(signal.SIGINT, signal.SIGTERM)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.connect(path)
        self._socket.setblocking(False)

    def __enter__(self) -> Self:
        self._signals.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._signals.__exit__(None, None, None)
        self._socket.close()

    def wait_for_start(self) -> bool:
        """Wait for the command; False if the load must stop instead."""
        while not self._over:
            select.select(self.sources(), [], [])
            self._read()
            if self._lines and self._lines[0] == "start":
                del self._lines[0]
                return True
        return False

    def stopped(self, load: Windowed) -> bool:
        """Execute received commands; return whether the load must stop."""
        self._read()
        while self._lines and not self._over:
            command, _, name = self._lines.pop(0).partition(" ")
            if command == "window":
                load.open_window(name)
            elif command == "stop":
                self._over = True
        return self._over

    def send(self, word: str) -> None:
        with contextlib.suppress(OSError):
            self._socket.sendall(f"{word}\n".encode())

    def wait_for_leave(self) -> None:
        """Wait for the command to leave: the end of the load ends the whole launch."""
        while not self._left:
            select.select(self.sources(), [], [])
            self._read()
            self._left = self._left or bool(self._lines and self._lines.pop(0) == "leave")

    def sources(self) -> list[object]:
        return [self._signals, self._socket]

    def _read(self) -> None:
        if self._signals.pending():
            self._over = self._left = True
        with contextlib.suppress(BlockingIOError):
            more = self._socket.recv(4096)
            if not more:
                self._over = self._left = True
            self._text += more
        *lines, self._text = self._text.split(b"\n")
        self._lines += [line.decode() for line in lines]
