# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Actions that contain other entities."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from ..event_handlers import BaseEventHandler
from ..events import Event, Shutdown
from ..launch_context import LaunchContext
from ..launch_description import Action, LaunchDescription, LaunchDescriptionEntity
from ..launch_description_source import LaunchDescriptionSource
from ..substitutions import SomeSubstitutionsType
from .basic import OpaqueFunction, SetLaunchConfiguration


class GroupAction(Action):
    """Entities with configurations and environment of their own."""

    def __init__(self, actions: Iterable[LaunchDescriptionEntity], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__actions = list(actions)

    def sub_entities(self) -> list[LaunchDescriptionEntity]:
        return self.__actions

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        return [
            OpaqueFunction(function=lambda context: context.push_scope()),
            *self.__actions,
            OpaqueFunction(function=lambda context: context.pop_scope()),
        ]


class IncludeLaunchDescription(Action):
    """Includes another launch description, given as its file or its source, with arguments."""

    def __init__(
        self,
        launch_description_source: LaunchDescriptionSource | SomeSubstitutionsType,
        *,
        launch_arguments: Iterable[tuple[str, SomeSubstitutionsType]] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not isinstance(launch_description_source, LaunchDescriptionSource):
            launch_description_source = LaunchDescriptionSource(location=launch_description_source)
        self.__source = launch_description_source
        self.__launch_arguments = dict(launch_arguments)

    def sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the description if it is known without running."""
        description = self.__source.try_get_launch_description_without_context()
        return [] if description is None else [description]

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Yield the description; RuntimeError if an argument it requires is missing."""
        description = self.__source.get_launch_description(context)
        self.__check_arguments(description)
        arguments = self.__launch_arguments.items()
        return [*(SetLaunchConfiguration(name, value) for name, value in arguments), description]

    def __check_arguments(self, description: LaunchDescription) -> None:
        for argument, conditional, includes in description.declared_arguments():
            if conditional or argument.default_value is not None:
                continue
            known = [name for include in (self, *includes) for name in include.__launch_arguments]
            if argument.name not in known:
                raise RuntimeError(
                    "Included launch description missing required argument "
                    f"'{argument.name}' (description: '{argument.description}'), "
                    f"given: [{', '.join(known)}]"
                )


class _TimerEvent(Event):
    """A timer has run out."""

    def __init__(self, timer_action: TimerAction) -> None:
        self.timer_action = timer_action


class TimerAction(Action):
    """Yields its actions when the period (in seconds) is over, unless launch shuts down before."""

    def __init__(
        self, *, period: float, actions: Iterable[LaunchDescriptionEntity], **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.__period = float(period)
        self.__actions = list(actions)
        self.__task: asyncio.Task | None = None

    def execute(self, context: LaunchContext) -> None:
        self.__task = context.asyncio_loop.create_task(self.__wait(context))
        context.register_event_handler(
            BaseEventHandler(
                _TimerEvent,
                lambda event, context: self.__actions,
                lambda event: event.timer_action is self,
            )
        )
        context.register_event_handler(BaseEventHandler(Shutdown, self.__cancel))

    def __cancel(self, event: Shutdown, context: LaunchContext) -> None:
        self.__task.cancel()

    async def __wait(self, context: LaunchContext) -> None:
        try:
            await asyncio.sleep(self.__period)
        except asyncio.CancelledError:
            return  # the shutdown of the launch, not an error
        context.emit_event_sync(_TimerEvent(self))

    def get_asyncio_future(self) -> asyncio.Future | None:
        """Return a future that is done when the timer has ended."""
        return self.__task
