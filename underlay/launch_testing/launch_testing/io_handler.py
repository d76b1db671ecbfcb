# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the processes have written."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from launch.actions import ExecuteProcess
from launch.events.process import ProcessIO

from .asserts.assert_output import assertInStream
from .util.proc_lookup import NoMatchingProcessException, resolveProcesses


class IoHandler:
    """Output of all processes in order, or of one by action or by its full name."""

    def __init__(self) -> None:
        self._sequence: list[ProcessIO] = []
        self._by_name: dict[str, list[ProcessIO]] = {}

    def track(self, process_name: str) -> None:
        """Know a process that has not written yet."""
        self._by_name.setdefault(process_name, [])

    def append(self, process_io: ProcessIO) -> None:
        """Note some output."""
        self._sequence.append(process_io)
        self._by_name.setdefault(process_io.process_name, []).append(process_io)

    def __iter__(self) -> Iterator[ProcessIO]:
        """Yield all output in the order of its arrival."""
        return iter(list(self._sequence))

    def processes(self) -> list[ExecuteProcess]:
        """Return the processes that have written something."""
        return [output[0].action for output in self._by_name.values() if output]

    def process_names(self) -> list[str]:
        """Return the names of all known processes."""
        return list(self._by_name)

    def __getitem__(self, key: ExecuteProcess | str) -> list[ProcessIO]:
        """Return the output of one process; KeyError if it is not known."""
        return list(self._by_name[key if isinstance(key, str) else key.process_details["name"]])


class ActiveIoHandler(IoHandler):
    """Grows while tests look at it, and lets them wait."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = threading.Condition(threading.RLock())

    @property
    def io_event(self) -> threading.Condition:
        """Notified at every output."""
        return self._changed

    def track(self, process_name: str) -> None:
        """Know a process that has not written yet."""
        with self._changed:
            super().track(process_name)

    def append(self, process_io: ProcessIO) -> None:
        """Note some output."""
        with self._changed:
            super().append(process_io)
            self._changed.notify_all()

    def assertWaitFor(self, *args: Any, **kwargs: Any) -> None:
        """Like waitFor(), but an AssertionError if the output does not come."""
        assert self.waitFor(*args, **kwargs), "Waiting for output timed out"

    def waitFor(
        self,
        expected_output: Any,
        process: ExecuteProcess | str | None = None,
        cmd_args: str | list[str] | object | None = None,
        *,
        strict_proc_matching: bool = True,
        output_filter: Callable[[str], str] | None = None,
        timeout: float = 10,
        strip_ansi_escape_sequences: bool = True,
        stream: str = "stderr",
    ) -> bool:
        """Wait (seconds) for text, a pattern or a sequence of them; return whether it came."""

        def found() -> bool:
            try:
                assertInStream(
                    self,
                    expected_output,
                    process,
                    cmd_args,
                    output_filter=output_filter,
                    strict_proc_matching=strict_proc_matching,
                    strip_ansi_escape_sequences=strip_ansi_escape_sequences,
                    stream=stream,
                )
            except (NoMatchingProcessException, AssertionError):
                return False
            return True

        with self._changed:
            success = self._changed.wait_for(found, timeout=timeout)
        if not success:
            # An unknown process is a mistake in the test and says so.
            resolveProcesses(self, process=process, cmd_args=cmd_args, strict_proc_matching=False)
        return success
