# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The action that starts the tests."""

from __future__ import annotations

from collections.abc import Callable

from launch.launch_context import LaunchContext
from launch.launch_description import Action


class ReadyToTest(Action):
    """Starts the tests when it is executed."""

    def __init__(self) -> None:
        super().__init__()
        self.on_ready: Callable[[], None] = lambda: None

    def execute(self, context: LaunchContext) -> None:
        self.on_ready()
