# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The action that begins the tests."""

from __future__ import annotations

from collections.abc import Callable

from launch.action import Action
from launch.launch_context import LaunchContext

__all__ = ["ReadyToTest"]


class ReadyToTest(Action):
    """Begins the tests when it is executed."""

    def __init__(self) -> None:
        super().__init__()
        self.__callbacks: list[Callable[[], None]] = []

    def _add_callback(self, callback: Callable[[], None]) -> None:
        self.__callbacks.append(callback)

    def execute(self, context: LaunchContext) -> None:
        """Begin."""
        for callback in self.__callbacks:
            callback()
