# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Handlers for the events people wait for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Union

from ..event import Event
from ..event_handler import BaseEventHandler
from ..events import IncludeLaunchDescription, Shutdown
from ..events.process import ProcessExited, ProcessIO, ProcessStarted
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity
from ..some_entities_type import SomeEntitiesType

if TYPE_CHECKING:
    from ..action import Action

__all__ = [
    "OnActionEventBase",
    "OnIncludeLaunchDescription",
    "OnProcessExit",
    "OnProcessIO",
    "OnProcessStart",
    "OnShutdown",
    "event_named",
]

Handler = Union[SomeEntitiesType, Callable[..., Any]]  # noqa: UP007


def event_named(name: str) -> Callable[[Event], bool]:
    """Return a matcher for events with this name."""
    return lambda event: event.name == name


class OnActionEventBase(BaseEventHandler):
    """Handles one kind of event of one action, of those a callable accepts, or of all."""

    def __init__(
        self,
        *,
        action_matcher: Callable[[Action], bool] | Action | None,
        on_event: Handler,
        target_event_cls: type[Event],
        target_action_cls: type[Action],
        **kwargs: Any,
    ) -> None:
        if not (
            action_matcher is None
            or isinstance(action_matcher, target_action_cls)
            or callable(action_matcher)
        ):
            raise TypeError(
                f"action_matcher must be an '{target_action_cls.__name__}' instance or a callable"
            )

        def matcher(event: Event) -> bool:
            if not isinstance(event, target_event_cls):
                return False
            if action_matcher is None or event.action is action_matcher:
                return True
            return callable(action_matcher) and action_matcher(event.action)

        super().__init__(matcher=matcher, **kwargs)
        self.__function = on_event if callable(on_event) else None
        self.__entities: list[LaunchDescriptionEntity] = []
        if not callable(on_event):
            self.__entities = list(on_event) if isinstance(on_event, Iterable) else [on_event]
        for entity in self.__entities:
            if not isinstance(entity, LaunchDescriptionEntity):
                raise TypeError(f"expected launch entities to follow an event, got '{entity}'")

    def describe(self) -> tuple[str, list]:
        """Return a readable form and the entities that follow."""
        return (super().describe()[0], list(self.__entities))

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Yield the entities, or what the function returns."""
        super().handle(event, context)
        return self.__entities if self.__function is None else self.__function(event, context)


class OnProcessStart(OnActionEventBase):
    """Acts when a process has started."""

    def __init__(self, *, target_action: Any = None, on_start: Handler, **kwargs: Any) -> None:
        from ..actions import ExecuteProcess

        super().__init__(
            action_matcher=target_action,
            on_event=on_start,
            target_event_cls=ProcessStarted,
            target_action_cls=ExecuteProcess,
            **kwargs,
        )


class OnProcessExit(OnActionEventBase):
    """Acts when a process has ended."""

    def __init__(self, *, target_action: Any = None, on_exit: Handler, **kwargs: Any) -> None:
        from ..actions import ExecuteProcess

        super().__init__(
            action_matcher=target_action,
            on_event=on_exit,
            target_event_cls=ProcessExited,
            target_action_cls=ExecuteProcess,
            **kwargs,
        )


class OnProcessIO(OnActionEventBase):
    """Acts when a process writes; each function takes the event."""

    def __init__(
        self,
        *,
        target_action: Any = None,
        on_stdin: Callable[[ProcessIO], SomeEntitiesType | None] | None = None,
        on_stdout: Callable[[ProcessIO], SomeEntitiesType | None] | None = None,
        on_stderr: Callable[[ProcessIO], SomeEntitiesType | None] | None = None,
        **kwargs: Any,
    ) -> None:
        from ..actions import ExecuteProcess

        def handle(event: ProcessIO, _: LaunchContext) -> SomeEntitiesType | None:
            function = on_stdin
            if event.from_stdout:
                function = on_stdout
            elif event.from_stderr:
                function = on_stderr
            return None if function is None else function(event)

        super().__init__(
            action_matcher=target_action,
            on_event=handle,
            target_event_cls=ProcessIO,
            target_action_cls=ExecuteProcess,
            **kwargs,
        )


class OnShutdown(BaseEventHandler):
    """Acts when shutting down begins."""

    def __init__(self, *, on_shutdown: Handler, **kwargs: Any) -> None:
        super().__init__(matcher=lambda event: isinstance(event, Shutdown), **kwargs)
        self.__on_shutdown = on_shutdown

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Yield the entities, or what the function returns."""
        super().handle(event, context)
        if callable(self.__on_shutdown):
            return self.__on_shutdown(event, context)
        return self.__on_shutdown


class OnIncludeLaunchDescription(BaseEventHandler):
    """Visits the launch description that an event carries."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            matcher=lambda event: isinstance(event, IncludeLaunchDescription), **kwargs
        )

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Yield the description."""
        super().handle(event, context)
        return [event.launch_description]
