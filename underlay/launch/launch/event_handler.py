# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What to do when a matching event happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .event import Event
from .some_entities_type import SomeEntitiesType

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class BaseEventHandler:
    """Matches events; handle() may yield entities to visit."""

    def __init__(self, *, matcher: Callable[[Event], bool], handle_once: bool = False) -> None:
        self.__matcher = matcher
        self.__handle_once = handle_once

    @property
    def handle_once(self) -> bool:
        """Whether the handler leaves after its first event."""
        return self.__handle_once

    def matches(self, event: Event) -> bool:
        """Return whether this handler is meant for the event."""
        return self.__matcher(event)

    def describe(self) -> tuple[str, list]:
        """Return a readable form and the entities that may follow."""
        return (f"{type(self).__name__}(handle_once={self.handle_once})", [])

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Make the event visible as context.locals.event; sub-classes extend this."""
        context.extend_locals({"event": event})
        if self.handle_once:
            context.unregister_event_handler(self)
        return None


class EventHandler(BaseEventHandler):
    """Yields fixed entities for every matching event."""

    def __init__(
        self,
        *,
        matcher: Callable[[Event], bool],
        entities: SomeEntitiesType | None = None,
        handle_once: bool = False,
    ) -> None:
        super().__init__(matcher=matcher, handle_once=handle_once)
        self.__entities = entities

    @property
    def entities(self) -> SomeEntitiesType | None:
        """The entities yielded for each event."""
        return self.__entities

    def handle(self, event: Event, context: LaunchContext) -> SomeEntitiesType | None:
        """Yield the entities."""
        super().handle(event, context)
        return self.entities
