# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Events of the launch system."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..launch_description import Action, LaunchDescription


class Event:
    """Base of all events."""


@dataclass
class IncludeLaunchDescription(Event):
    """Requests a visit of a launch description."""

    launch_description: LaunchDescription


@dataclass
class Shutdown(Event):
    """Requests the shutdown, with its reason and whether a SIGINT to launch was the cause."""

    reason: str = "reason not given"
    due_to_sigint: bool = False


def matches_action(target_action: Action) -> Callable[[Action], bool]:
    return lambda action: action is target_action
