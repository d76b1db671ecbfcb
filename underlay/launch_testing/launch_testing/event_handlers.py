# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Handlers that tests use."""

from __future__ import annotations

from typing import Any

from launch.actions import ExecuteProcess
from launch.event_handlers import OnProcessIO
from launch.events.process import ProcessIO
from launch.some_entities_type import SomeEntitiesType

__all__ = ["StdoutReadyListener"]


class StdoutReadyListener(OnProcessIO):
    """Yields actions when a process has written a text to its standard output."""

    def __init__(
        self, *, target_action: ExecuteProcess | None = None, ready_txt: str, actions: Any
    ) -> None:
        self.__ready_txt = ready_txt
        self.__actions = actions
        super().__init__(target_action=target_action, on_stdout=self.__on_stdout)

    def __on_stdout(self, event: ProcessIO) -> SomeEntitiesType | None:
        return self.__actions if self.__ready_txt in event.text.decode(errors="replace") else None

    def describe(self) -> tuple[str, list]:
        """Return a readable form and the actions."""
        return super().describe()[0], self.__actions
