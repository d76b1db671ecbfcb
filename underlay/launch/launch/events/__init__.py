# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Events of the launch system."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..event import Event
from . import process

if TYPE_CHECKING:
    from ..action import Action
    from ..actions import TimerAction
    from ..launch_description import LaunchDescription

__all__ = ["IncludeLaunchDescription", "Shutdown", "TimerEvent", "matches_action", "process"]


def matches_action(target_action: Action) -> Callable[[Action], bool]:
    """Return a matcher for events that are about this very action."""
    return lambda action: action is target_action


class IncludeLaunchDescription(Event):
    """A launch description is to be visited."""

    name = "launch.events.IncludeLaunchDescription"

    def __init__(self, launch_description: LaunchDescription) -> None:
        self.__launch_description = launch_description

    @property
    def launch_description(self) -> LaunchDescription:
        """The description."""
        return self.__launch_description


class Shutdown(Event):
    """Everything is to stop."""

    name = "launch.events.Shutdown"

    def __init__(self, *, reason: str = "reason not given", due_to_sigint: bool = False) -> None:
        self.__reason = reason
        self.__due_to_sigint = due_to_sigint

    @property
    def reason(self) -> str:
        """Why, in words."""
        return self.__reason

    @property
    def due_to_sigint(self) -> bool:
        """Whether a SIGINT to launch itself was the cause."""
        return self.__due_to_sigint


class TimerEvent(Event):
    """A timer has run out."""

    name = "launch.events.TimerEvent"

    def __init__(self, *, timer_action: TimerAction) -> None:
        self.__timer_action = timer_action

    @property
    def timer_action(self) -> TimerAction:
        """The timer."""
        return self.__timer_action
