# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Reads devices whose driver may hang, so that no other device has to wait for them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

_WAIT_S = 0.2

T = TypeVar("T")
_Work = tuple[Future[Any], Callable[[], Any]] | None  # None: end


class PatientReads:
    """Runs reads in a thread of its own; beside one that hangs, the next get another thread."""

    def __init__(self, wait_s: float = _WAIT_S) -> None:
        """Wait for each read for so long; what it returns later is the result of the next call."""
        self._wait_s = wait_s
        self._idle: list[SimpleQueue[_Work]] = []
        self._hanging: dict[str, Future[Any]] = {}

    def hangs(self, name: str) -> bool:
        """Return whether the newest read of this name has not returned yet."""
        late = self._hanging.get(name)
        return late is not None and not late.done()

    def run(self, name: str, read: Callable[[], T]) -> T | None:
        """Return what `read` returns; None while it hangs, and while an earlier one does."""
        work = self._hanging.pop(name, None)
        if work is None:
            work = Future()
            worker = self._idle.pop() if self._idle else self._start()
            worker.put((work, read))
        elif not work.done():
            self._hanging[name] = work
            return None
        try:
            return work.result(self._wait_s)  # type: ignore[no-any-return]
        except TimeoutError:
            if work.done():
                raise  # by the read itself
            self._hanging[name] = work
            return None

    def close(self) -> None:
        """End the threads that are idle; those that hang end with the process."""
        while self._idle:
            self._idle.pop().put(None)

    def _start(self) -> SimpleQueue[_Work]:
        worker: SimpleQueue[_Work] = SimpleQueue()
        threading.Thread(target=self._serve, args=(worker,), name="reads", daemon=True).start()
        return worker

    def _serve(self, worker: SimpleQueue[_Work]) -> None:
        while (wanted := worker.get()) is not None:
            work, read = wanted
            try:
                result = read()
            except BaseException as error:
                self._idle.append(worker)
                work.set_exception(error)
            else:
                self._idle.append(worker)
                work.set_result(result)
