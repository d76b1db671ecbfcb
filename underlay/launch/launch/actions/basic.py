# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Actions that end at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from .. import events, logging
from ..event_handlers import BaseEventHandler
from ..events import Event
from ..events.process import ProcessExited
from ..launch_context import LaunchContext
from ..launch_description import Action, LaunchDescriptionEntity
from ..substitutions import SomeSubstitutionsType, Text


class DeclareLaunchArgument(Action):
    """Makes a launch configuration an argument of the description, with default and choices."""

    def __init__(
        self,
        name: str,
        *,
        default_value: SomeSubstitutionsType | None = None,
        description: str = "no description given",
        choices: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if choices is not None and isinstance(default_value, str) and default_value not in choices:
            raise RuntimeError(
                f'Provided default_value "{default_value}" is not in provided choices "{choices}".'
            )
        self.name = name
        self.default_value = None if default_value is None else Text(default_value)
        self.description = description
        if choices is not None:
            self.description = f"{description.removesuffix('.')}. Valid choices are: {choices}"
        self.__choices = choices

    def execute(self, context: LaunchContext) -> None:
        """Set the default where needed; RuntimeError for a missing or forbidden value."""
        configurations = context.launch_configurations
        if self.name not in configurations:
            if self.default_value is None:
                raise RuntimeError(f'Required launch argument "{self.name}" was not provided.')
            configurations[self.name] = self.default_value.perform(context)
        value = configurations[self.name]
        if self.__choices is not None and value not in self.__choices:
            raise RuntimeError(
                f'Argument "{self.name}" provided value "{value}" is not valid. '
                f"Valid options are: {self.__choices}"
            )


class SetLaunchConfiguration(Action):
    def __init__(self, name: str, value: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__name = name
        self.__value = Text(value)

    def execute(self, context: LaunchContext) -> None:
        context.launch_configurations[self.__name] = self.__value.perform(context)


class SetEnvironmentVariable(Action):
    """Sets an environment variable of the processes started later."""

    def __init__(self, name: str, value: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__name = name
        self.__value = Text(value)

    def execute(self, context: LaunchContext) -> None:
        os.environ[self.__name] = self.__value.perform(context)


class OpaqueFunction(Action):
    """Calls function(context); it may return entities to visit."""

    def __init__(
        self,
        *,
        function: Callable[[LaunchContext], Iterable[LaunchDescriptionEntity] | None],
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.__function = function

    def execute(self, context: LaunchContext) -> Iterable[LaunchDescriptionEntity] | None:
        return self.__function(context)


class LogInfo(Action):
    def __init__(self, *, msg: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__msg = Text(msg)

    def execute(self, context: LaunchContext) -> None:
        logging.get_logger("launch.user").info(self.__msg.perform(context))


class RegisterEventHandler(Action):
    def __init__(self, event_handler: BaseEventHandler, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__event_handler = event_handler

    def execute(self, context: LaunchContext) -> None:
        context.register_event_handler(self.__event_handler)


class EmitEvent(Action):
    def __init__(self, *, event: Event, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(event, Event):
            raise RuntimeError(f"EmitEvent() expected an event instance, got '{event}'.")
        self.__event = event

    def execute(self, context: LaunchContext) -> None:
        context.emit_event_sync(self.__event)


class Shutdown(EmitEvent):
    """Shuts the whole launch down."""

    def __init__(self, *, reason: str = "reason not given", **kwargs: Any) -> None:
        super().__init__(event=events.Shutdown(reason=reason), **kwargs)

    def execute(self, context: LaunchContext) -> None:
        """Start the shutdown; log the process whose end was the cause."""
        if isinstance(context.event, ProcessExited):
            logging.get_logger("launch").info(
                f"process[{context.event.process_name}] was required: "
                "shutting down launched system"
            )
        super().execute(context)
