# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Actions on events and their handlers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import events, logging
from ..action import Action
from ..event import Event
from ..event_handler import BaseEventHandler
from ..events.process import ProcessExited
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity
from ..utilities import normalize_to_list_of_entities


class EmitEvent(Action):
    """Emits an event."""

    def __init__(self, *, event: Event, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(event, Event):
            raise RuntimeError(f"EmitEvent() expected an event instance, got '{event}'.")
        self.__event = event

    @property
    def event(self) -> Event:
        """The event."""
        return self.__event

    def execute(self, context: LaunchContext) -> None:
        """Emit it."""
        context.emit_event_sync(self.__event)


class Shutdown(EmitEvent):
    """Shuts the whole launch down."""

    def __init__(self, *, reason: str = "reason not given", **kwargs: Any) -> None:
        super().__init__(event=events.Shutdown(reason=reason), **kwargs)

    def execute(self, context: LaunchContext) -> None:
        """Begin to shut down; name the process whose end was the cause."""
        cause = context.get_locals_as_dict().get("event")
        if isinstance(cause, ProcessExited):
            logging.get_logger("launch").info(
                f"process[{cause.process_name}] was required: shutting down launched system"
            )
        super().execute(context)


class RegisterEventHandler(Action):
    """Registers an event handler."""

    def __init__(self, event_handler: BaseEventHandler, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__event_handler = event_handler

    @property
    def event_handler(self) -> BaseEventHandler:
        """The handler."""
        return self.__event_handler

    def execute(self, context: LaunchContext) -> None:
        """Register it."""
        context.register_event_handler(self.__event_handler)

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return what the handler may yield."""
        text, entities = self.__event_handler.describe()
        return [(text, normalize_to_list_of_entities(entities))] if entities else []


class UnregisterEventHandler(Action):
    """Removes an event handler."""

    def __init__(self, event_handler: BaseEventHandler, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__event_handler = event_handler

    def execute(self, context: LaunchContext) -> None:
        """Remove it."""
        context.unregister_event_handler(self.__event_handler)
