# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What is known about the processes: whether they run, and how they ended."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from launch.actions import ExecuteProcess
from launch.events.process import ProcessExited, ProcessStarted

from .util.proc_lookup import NoMatchingProcessException, resolveProcesses

ProcessInfo = ProcessStarted | ProcessExited


class ProcInfoHandler:
    """The last event of each process, by action or by a part of the name."""

    def __init__(self) -> None:
        self._info: dict[ExecuteProcess, ProcessInfo] = {}

    def append(self, process_info: ProcessInfo) -> None:
        """Note an event."""
        self._info[process_info.action] = process_info

    def __iter__(self) -> Iterator[ProcessInfo]:
        """Yield the last events."""
        return iter(list(self._info.values()))

    def processes(self) -> list[ExecuteProcess]:
        """Return the processes that have been started."""
        return list(self._info)

    def process_names(self) -> list[str]:
        """Return their names."""
        return [process.process_details["name"] for process in self._info]

    def __getitem__(self, key: ExecuteProcess | str) -> ProcessInfo:
        """Return the last event of one process; KeyError if it is not known."""
        if not isinstance(key, str):
            return self._info[key]
        for process, info in self._info.items():
            if key in process.process_details["name"]:
                return info
        raise KeyError(key)


class ActiveProcInfoHandler(ProcInfoHandler):
    """Grows while tests look at it, and lets them wait."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = threading.Condition()

    @property
    def proc_event(self) -> threading.Condition:
        """Notified at every event."""
        return self._changed

    def append(self, process_info: ProcessInfo) -> None:
        """Note an event."""
        with self._changed:
            super().append(process_info)
            self._changed.notify_all()

    def assertWaitForStartup(
        self,
        process: ExecuteProcess | str,
        cmd_args: str | list[str] | object | None = None,
        *,
        timeout: float = 10,
    ) -> None:
        """Wait (seconds) until a process has started; AssertionError if it does not."""
        started = self.__wait(process, cmd_args, lambda info: True, timeout)
        assert started, f"Timed out waiting for process '{process}' to start"

    def assertWaitForShutdown(
        self,
        process: ExecuteProcess | str,
        cmd_args: str | list[str] | object | None = None,
        *,
        timeout: float = 10,
    ) -> None:
        """Wait (seconds) until a process has ended; AssertionError if it does not."""
        ended = self.__wait(
            process, cmd_args, lambda info: isinstance(info, ProcessExited), timeout
        )
        assert ended, f"Timed out waiting for process '{process}' to finish"

    def __wait(
        self,
        process: ExecuteProcess | str,
        cmd_args: str | list[str] | object | None,
        test: Callable[[ProcessInfo], bool],
        timeout: float,
    ) -> bool:
        def holds() -> bool:
            try:
                found = resolveProcesses(self, process=process, cmd_args=cmd_args)
            except NoMatchingProcessException:
                return False
            return test(self._info[found[0]])

        with self._changed:
            return self._changed.wait_for(holds, timeout=timeout)
