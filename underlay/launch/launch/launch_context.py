# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The state that entities share while a launch runs."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from .events import Event

if TYPE_CHECKING:
    from .event_handlers import BaseEventHandler


class LaunchContext:
    """Launch configurations, event queue and event handlers.

    Configurations and environment are stacks: a group pushes a copy and pops it when it ends.
    """

    def __init__(self, *, noninteractive: bool = False) -> None:
        # True if no terminal is attached, so that children get no Ctrl-C of their own.
        self.noninteractive = noninteractive
        self.is_shutdown = False
        self.asyncio_loop: asyncio.AbstractEventLoop | None = None
        self.event_queue: asyncio.Queue[Event] = asyncio.Queue()
        self.event_handlers: list[BaseEventHandler] = []
        # The event that is being handled.
        self.event: Event | None = None
        self.__configurations: list[dict[str, str]] = [{}]
        self.__environments: list[dict[str, str]] = []

    @property
    def launch_configurations(self) -> dict[str, str]:
        return self.__configurations[-1]

    def push_scope(self) -> None:
        self.__configurations.append(dict(self.__configurations[-1]))
        self.__environments.append(dict(os.environ))

    def pop_scope(self) -> None:
        self.__configurations.pop()
        os.environ.clear()
        os.environ.update(self.__environments.pop())

    def register_event_handler(self, event_handler: BaseEventHandler) -> None:
        """Put a handler before the others."""
        self.event_handlers.insert(0, event_handler)

    def emit_event_sync(self, event: Event) -> None:
        """Queue an event; only from the loop's thread."""
        self.event_queue.put_nowait(event)
