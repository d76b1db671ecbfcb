# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The action that waits."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from ..action import Action
from ..event_handler import EventHandler
from ..events import Shutdown, TimerEvent
from ..launch_context import LaunchContext
from ..launch_description_entity import LaunchDescriptionEntity
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities.type_utils import normalize_typed_substitution, perform_typed_substitution
from .functions import OpaqueFunction


class TimerAction(Action):
    """Yields its actions when the period (in seconds) is over, unless it is cancelled before."""

    def __init__(
        self,
        *,
        period: float | SomeSubstitutionsType,
        actions: Iterable[LaunchDescriptionEntity],
        cancel_on_shutdown: bool | SomeSubstitutionsType = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if isinstance(period, (int, str)):
            period = float(period)
        self.__period = normalize_typed_substitution(period, float)
        self.__actions = list(actions)
        self.__cancel_on_shutdown = normalize_typed_substitution(cancel_on_shutdown, bool)
        self.__locals: dict[str, Any] = {}
        self.__cancelled = False
        self.__task: asyncio.Task | None = None

    @property
    def period(self) -> Any:
        """The period in seconds, or the substitutions that give it."""
        return self.__period

    @property
    def actions(self) -> list[LaunchDescriptionEntity]:
        """What follows when the period is over."""
        return self.__actions

    def describe(self) -> str:
        """Return a readable form."""
        return f"TimerAction(period={self.__period}, actions=<actions>)"

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return what follows when the period is over."""
        return [(f"{self.__period} seconds pass without being canceled", self.__actions)]

    def cancel(self) -> None:
        """Stop waiting; nothing follows."""
        self.__cancelled = True
        if self.__task is not None:
            self.__task.cancel()

    def execute(self, context: LaunchContext) -> None:
        """Begin to wait."""
        if self.__cancelled:
            return
        self.__locals = context.get_locals_as_dict()
        period = perform_typed_substitution(context, self.__period, float)
        self.__task = context.asyncio_loop.create_task(self.__wait(context, period))
        context.register_event_handler(
            EventHandler(
                matcher=lambda event: isinstance(event, TimerEvent) and event.timer_action is self,
                entities=OpaqueFunction(function=self.__fire),
                handle_once=True,
            )
        )
        if perform_typed_substitution(context, self.__cancel_on_shutdown, bool):
            context.register_event_handler(
                EventHandler(
                    matcher=lambda event: isinstance(event, Shutdown),
                    entities=OpaqueFunction(function=lambda context: self.cancel()),
                )
            )

    async def __wait(self, context: LaunchContext, period: float) -> None:
        try:
            await asyncio.sleep(period)
        except asyncio.CancelledError:
            return  # being cancelled is a normal end, not an error of the launch
        await context.emit_event(TimerEvent(timer_action=self))

    def __fire(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        context.extend_locals(self.__locals)
        return self.__actions

    def get_asyncio_future(self) -> asyncio.Future | None:
        """Return a future that is done when waiting is over."""
        return self.__task
