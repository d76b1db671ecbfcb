# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""An entity that does something when it is visited."""

from __future__ import annotations

from collections.abc import Iterable

from .condition import Condition
from .launch_context import LaunchContext
from .launch_description_entity import LaunchDescriptionEntity


class Action(LaunchDescriptionEntity):
    """Base of all actions; executed unless its condition says no."""

    def __init__(self, *, condition: Condition | None = None) -> None:
        self.__condition = condition

    @property
    def condition(self) -> Condition | None:
        """The condition under which the action is executed."""
        return self.__condition

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities that executing the action yields."""
        return []

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the sub-entities of an unconditional action."""
        return self.get_sub_entities() if self.condition is None else []

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return the sub-entities of a conditional action."""
        if self.condition is None:
            return []
        return [(f"Conditionally included by {self.describe()}", self.get_sub_entities())]

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Execute the action if its condition allows it."""
        if self.__condition is None or self.__condition.evaluate(context):
            return self.execute(context)
        return None

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Do the action's work; sub-classes override this."""
        return None
