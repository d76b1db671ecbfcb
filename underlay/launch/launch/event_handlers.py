# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Handlers of events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from .events import Event
from .events.process import ProcessExited, ProcessIO, ProcessStarted
from .launch_context import LaunchContext
from .launch_description import LaunchDescriptionEntity

if TYPE_CHECKING:
    from .actions import ExecuteProcess

SomeEntities = LaunchDescriptionEntity | Iterable[LaunchDescriptionEntity] | None
Handler = SomeEntities | Callable[[Any, LaunchContext], SomeEntities]


class BaseEventHandler:
    """Calls a function for each event of a class that the matcher accepts."""

    def __init__(
        self,
        event_class: type[Event],
        function: Callable[[Any, LaunchContext], SomeEntities],
        matcher: Callable[[Any], bool] = lambda event: True,
    ) -> None:
        self.__event_class = event_class
        self.__function = function
        self.__matcher = matcher

    def matches(self, event: Event) -> bool:
        return isinstance(event, self.__event_class) and self.__matcher(event)

    def handle(self, event: Event, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Return the entities to visit."""
        entities = self.__function(event, context)
        if entities is None:
            return []
        return [entities] if isinstance(entities, LaunchDescriptionEntity) else list(entities)


class _OnProcessEvent(BaseEventHandler):
    """Handles one class of events of one process or of all processes."""

    def __init__(
        self, event_class: type[Event], target_action: ExecuteProcess | None, handler: Handler
    ) -> None:
        super().__init__(
            event_class,
            handler if callable(handler) else lambda event, context: handler,
            lambda event: target_action is None or event.action is target_action,
        )


class OnProcessStart(_OnProcessEvent):
    """Runs its actions when a process has started."""

    def __init__(self, *, target_action: ExecuteProcess | None = None, on_start: Handler) -> None:
        super().__init__(ProcessStarted, target_action, on_start)


class OnProcessExit(_OnProcessEvent):
    """Runs its actions when a process has ended."""

    def __init__(self, *, target_action: ExecuteProcess | None = None, on_exit: Handler) -> None:
        super().__init__(ProcessExited, target_action, on_exit)


class OnProcessIO(_OnProcessEvent):
    """Calls its functions with the event when a process writes."""

    def __init__(
        self,
        *,
        target_action: ExecuteProcess | None = None,
        on_stdout: Callable[[ProcessIO], SomeEntities] = lambda event: None,
        on_stderr: Callable[[ProcessIO], SomeEntities] = lambda event: None,
    ) -> None:
        super().__init__(
            ProcessIO,
            target_action,
            lambda event, context: on_stdout(event) if event.from_stdout else on_stderr(event),
        )
