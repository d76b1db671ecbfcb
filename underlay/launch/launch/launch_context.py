# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The state that entities share while a launch runs."""

from __future__ import annotations

import asyncio
import collections
import os
from collections.abc import Iterable, MutableMapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from .event import Event
from .substitution import Substitution

if TYPE_CHECKING:
    from .event_handler import BaseEventHandler


class LaunchContext:
    """Launch configurations, environment, locals, event queue and event handlers.

    Configurations, environment and locals are stacks: scopes push a copy and pop it when they end.
    """

    def __init__(self, *, argv: Iterable[str] | None = None, noninteractive: bool = False) -> None:
        self.__argv = list(argv or [])
        self.__noninteractive = noninteractive
        self._event_queue: asyncio.Queue[Event] = asyncio.Queue()
        self._event_handlers: collections.deque[BaseEventHandler] = collections.deque()
        self._completion_futures: list[asyncio.Future] = []
        self.__globals: dict[str, Any] = {}
        self.__locals: list[dict[str, Any]] = [{}]
        self.__configurations: list[dict[str, Any]] = [{}]
        self.__environments: list[dict[str, str]] = []
        self.__initial_environment = dict(os.environ)
        self.__is_shutdown = False
        self.__loop: asyncio.AbstractEventLoop | None = None

    @property
    def argv(self) -> list[str]:
        """The command-line arguments given to the launch service."""
        return self.__argv

    @property
    def noninteractive(self) -> bool:
        """Whether no terminal is attached, so that children get no Ctrl-C of their own."""
        return self.__noninteractive

    @property
    def is_shutdown(self) -> bool:
        """Whether shutting down has begun."""
        return self.__is_shutdown

    def _set_is_shutdown(self, state: bool) -> None:
        self.__is_shutdown = state

    @property
    def asyncio_loop(self) -> asyncio.AbstractEventLoop | None:
        """The loop of the running launch service."""
        return self.__loop

    def _set_asyncio_loop(self, loop: asyncio.AbstractEventLoop | None) -> None:
        self.__loop = loop

    def add_completion_future(self, completion_future: asyncio.Future) -> None:
        """Keep the launch service running until the future is done."""
        self._completion_futures.append(completion_future)

    def _push_locals(self) -> None:
        self.__locals.append(dict(self.__locals[-1]))

    def _pop_locals(self) -> None:
        self.__pop(self.__locals, "locals")

    def extend_globals(self, extensions: dict[str, Any]) -> None:
        """Add names to `locals` for good."""
        self.__globals.update(extensions)

    def extend_locals(self, extensions: dict[str, Any]) -> None:
        """Add names to `locals` until the present scope ends."""
        self.__locals[-1].update(extensions)

    def get_locals_as_dict(self) -> dict[str, Any]:
        """Return the visible names and their values."""
        return {**self.__globals, **self.__locals[-1]}

    @property
    def locals(self) -> SimpleNamespace:
        """The visible names as attributes."""
        return SimpleNamespace(**self.get_locals_as_dict())

    def _push_environment(self) -> None:
        self.__environments.append(dict(os.environ))

    def _pop_environment(self) -> None:
        if not self.__environments:
            raise RuntimeError("environment stack unexpectedly empty")
        self.__set_environment(self.__environments.pop())

    def _reset_environment(self) -> None:
        self.__set_environment(self.__initial_environment)

    @staticmethod
    def __set_environment(values: dict[str, str]) -> None:
        os.environ.clear()
        os.environ.update(values)

    @property
    def environment(self) -> MutableMapping[str, str]:
        """The environment that processes inherit."""
        return os.environ

    def _push_launch_configurations(self) -> None:
        self.__configurations.append(dict(self.__configurations[-1]))

    def _pop_launch_configurations(self) -> None:
        self.__pop(self.__configurations, "launch_configurations")

    @property
    def launch_configurations(self) -> dict[str, Any]:
        """The launch configurations of the present scope."""
        return self.__configurations[-1]

    @staticmethod
    def __pop(stack: list[dict[str, Any]], name: str) -> None:
        if len(stack) == 1:
            raise RuntimeError(f"{name} stack unexpectedly empty")
        stack.pop()

    def would_handle_event(self, event: Event) -> bool:
        """Return whether any handler matches the event."""
        return any(handler.matches(event) for handler in self._event_handlers)

    def register_event_handler(self, event_handler: BaseEventHandler, append: bool = False) -> None:
        """Put a handler before the others, or behind them with append."""
        if append:
            self._event_handlers.append(event_handler)
        else:
            self._event_handlers.appendleft(event_handler)

    def unregister_event_handler(self, event_handler: BaseEventHandler) -> None:
        """Take a handler away."""
        self._event_handlers.remove(event_handler)

    def emit_event_sync(self, event: Event) -> None:
        """Queue an event; only from the loop's thread."""
        self._event_queue.put_nowait(event)

    async def emit_event(self, event: Event) -> None:
        """Queue an event."""
        await self._event_queue.put(event)

    def perform_substitution(self, substitution: Substitution) -> str:
        """Return the substitution's value in this context."""
        return substitution.perform(self)
