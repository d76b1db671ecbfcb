# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The packet thread: waits for sockets and timers, and runs short functions for other threads."""

from __future__ import annotations

import contextlib
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

_Result = TypeVar("_Result")
_MAX_WAIT_S = 1.0


class Stopped(Exception):
    """The loop has ended."""


class Loop:
    """Everything that packets and timers touch belongs to the thread that runs this."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._calls: deque[Callable[[], None]] = deque()
        self._wake_receiver, self._wake_sender = socket.socketpair()
        self._wake_receiver.setblocking(False)
        self._wake_sender.setblocking(False)
        self.watch(self._wake_receiver, self._run_calls)
        self._running = True

    def watch(self, source: socket.socket, handle: Callable[[], None]) -> None:
        """Call `handle` whenever a socket has something to read."""
        self._selector.register(source, selectors.EVENT_READ, handle)

    def run(self, handle_timeout: Callable[[float], float]) -> None:
        """Run until stopped; `handle_timeout(now)` returns when to call it next."""
        try:
            due = 0.0
            while self._running:
                now = time.monotonic()
                if now >= due:
                    due = handle_timeout(now)
                for key, _ in self._selector.select(min(max(due - now, 0.0), _MAX_WAIT_S)):
                    key.data()
                    due = min(due, time.monotonic() + 0.01)
        finally:
            self._running = False
            self._run_calls()
            self._selector.close()

    def stop(self) -> None:
        """End the loop; from any thread."""
        self._running = False
        self._wake()

    def post(self, function: Callable[[], None]) -> None:
        """Let the packet thread call a function; from any thread."""
        self._calls.append(function)
        self._wake()

    def call(self, function: Callable[..., _Result], *arguments: Any) -> _Result:
        """Let the packet thread call a function, and return its result; from any other thread."""
        future: Future[_Result] = Future()

        def run() -> None:
            if not self._running:
                future.set_exception(Stopped())
                return
            try:
                future.set_result(function(*arguments))
            except Exception as error:
                future.set_exception(error)

        self.post(run)
        while True:
            try:
                return future.result(timeout=_MAX_WAIT_S)
            except TimeoutError:
                if not self._running:
                    raise Stopped from None

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._wake_sender.send(b"\0")

    def _run_calls(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._wake_receiver.recv(4096)
        while self._calls:
            self._calls.popleft()()
