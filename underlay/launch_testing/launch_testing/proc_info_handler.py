# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The newest event of each process."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from launch.actions import ExecuteProcess
from launch.events.process import RunningProcessEvent


class ProcInfoHandler:
    """Gives a test the start or the exit of each process; iterates over these events."""

    def __init__(self) -> None:
        self.__events: dict[ExecuteProcess, RunningProcessEvent] = {}

    def append(self, event: RunningProcessEvent) -> None:
        self.__events[event.action] = event

    def __iter__(self) -> Iterator[RunningProcessEvent]:
        return iter(list(self.__events.values()))  # the launch goes on meanwhile

    def processes(self) -> Collection[ExecuteProcess]:
        """Return the actions of all processes that have started."""
        return list(self.__events)
