# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Entities, and the description of a system as a list of entities."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .launch_context import LaunchContext

if TYPE_CHECKING:
    from .actions import DeclareLaunchArgument, IncludeLaunchDescription
    from .conditions import IfCondition


class LaunchDescriptionEntity:
    """Base of everything that a launch description can contain."""

    def visit(self, context: LaunchContext) -> Iterable[LaunchDescriptionEntity] | None:
        """Do the work of the entity; return further entities to visit now."""
        return None

    def sub_entities(self) -> Iterable[LaunchDescriptionEntity]:
        """Return the entities that are known before a visit."""
        return []

    def get_asyncio_future(self) -> asyncio.Future | None:
        """Return a future that is done when the entity's work is over, or None."""
        return None


class Action(LaunchDescriptionEntity):
    """Base of all actions; executed unless the condition is false."""

    def __init__(self, *, condition: IfCondition | None = None) -> None:
        self.condition = condition

    def visit(self, context: LaunchContext) -> Iterable[LaunchDescriptionEntity] | None:
        """Execute the action if its condition allows it."""
        if self.condition is None or self.condition.evaluate(context):
            return self.execute(context)
        return None

    def execute(self, context: LaunchContext) -> Iterable[LaunchDescriptionEntity] | None:
        """Do the action's work; sub-classes override this."""
        raise NotImplementedError


class LaunchDescription(LaunchDescriptionEntity):
    """Entities in the order in which they are visited."""

    def __init__(self, initial_entities: Iterable[LaunchDescriptionEntity] = ()) -> None:
        self.__entities = list(initial_entities)

    @property
    def entities(self) -> list[LaunchDescriptionEntity]:
        return self.__entities

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        return self.__entities

    def sub_entities(self) -> list[LaunchDescriptionEntity]:
        return self.__entities

    def declared_arguments(
        self,
    ) -> list[tuple[DeclareLaunchArgument, bool, list[IncludeLaunchDescription]]]:
        """Return the arguments declared here and in included descriptions, first ones first.

        For each one: whether it depends on a condition, and the inclusions that lead to it.
        """
        from .actions import DeclareLaunchArgument, IncludeLaunchDescription

        found: dict[
            str, tuple[DeclareLaunchArgument, bool, list[IncludeLaunchDescription]]
        ] = {}

        def search(
            entities: Iterable[LaunchDescriptionEntity],
            conditional: bool,
            includes: list[IncludeLaunchDescription],
        ) -> None:
            for entity in entities:
                own = getattr(entity, "condition", None) is not None
                if isinstance(entity, DeclareLaunchArgument):
                    found.setdefault(entity.name, (entity, conditional or own, includes))
                inner = includes
                if isinstance(entity, IncludeLaunchDescription):
                    inner = [*includes, entity]
                search(entity.sub_entities(), own, inner)

        search(self.entities, False, [])
        return list(found.values())
