# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads devices whose driver may hang, so that nothing else has to wait for them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from math import inf
from queue import SimpleQueue
from typing import Any

_WAIT_S = 0.2


class PatientReads:
    """Runs reads in a thread of its own; beside one that hangs, the next get another thread."""

    def __init__(self, wait_s: float = _WAIT_S) -> None:
        """A read hangs from so many seconds on."""
        self._wait_s = wait_s
        self._waiting: SimpleQueue[tuple[str, Callable[[], Any]] | None] = SimpleQueue()
        self._begun_s: dict[str, float] = {}  # of reads that have not returned; inf: not begun
        self._results: dict[str, Any] = {}
        self._failures: dict[str, BaseException] = {}
        self._threads = 0

    def hangs(self, name: str) -> bool:
        """Return whether the newest read of this name has not returned for long."""
        return time.monotonic() - self._begun_s.get(name, inf) >= self._wait_s

    def begin(self, name: str, read: Callable[[], Any]) -> None:
        """Run `read` soon, unless an earlier one has not returned; raises what that has raised."""
        if name in self._failures:
            raise self._failures.pop(name)
        if name not in self._begun_s:
            self._begun_s[name] = inf
            self._waiting.put((name, read))
        if sum(map(self.hangs, tuple(self._begun_s))) >= self._threads:
            self._threads += 1
            threading.Thread(target=self._serve, name="reads", daemon=True).start()

    def take(self, name: str) -> Any:
        """Return once what the newest read of this name has returned; None before that."""
        return self._results.pop(name, None)

    def close(self) -> None:
        """End the threads that are idle; those that hang end with the process."""
        for _ in range(self._threads):
            self._waiting.put(None)

    def _serve(self) -> None:
        while (wanted := self._waiting.get()) is not None:
            name, read = wanted
            self._begun_s[name] = time.monotonic()
            try:
                self._results[name] = read()
            except BaseException as error:
                self._failures[name] = error
            del self._begun_s[name]
