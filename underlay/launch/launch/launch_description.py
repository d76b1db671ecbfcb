# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A list of entities that describes a system."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .action import Action
from .launch_context import LaunchContext
from .launch_description_entity import LaunchDescriptionEntity

if TYPE_CHECKING:
    from .actions import DeclareLaunchArgument, IncludeLaunchDescription


class LaunchDescription(LaunchDescriptionEntity):
    """Entities in the order in which they are visited."""

    def __init__(self, initial_entities: Iterable[LaunchDescriptionEntity] | None = None) -> None:
        self.__entities = list(initial_entities or [])

    @property
    def entities(self) -> list[LaunchDescriptionEntity]:
        """The entities."""
        return self.__entities

    def add_entity(self, entity: LaunchDescriptionEntity) -> None:
        """Append an entity."""
        self.__entities.append(entity)

    def add_action(self, action: Action) -> None:
        """Append an action."""
        self.add_entity(action)

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Yield the entities."""
        return self.__entities

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Yield the entities."""
        return self.__entities

    def get_launch_arguments(
        self, conditional_inclusion: bool = False
    ) -> list[DeclareLaunchArgument]:
        """Return the arguments declared here and in included descriptions, first ones first."""
        found = self.get_launch_arguments_with_include_launch_description_actions(
            conditional_inclusion
        )
        return [argument for argument, _ in found]

    def get_launch_arguments_with_include_launch_description_actions(
        self, conditional_inclusion: bool = False
    ) -> list[tuple[DeclareLaunchArgument, list[IncludeLaunchDescription] | None]]:
        """Return each declared argument with the inclusions that lead to it."""
        from .actions import (
            DeclareLaunchArgument,
            IncludeLaunchDescription,
            ResetLaunchConfigurations,
        )

        found: dict[str, tuple[DeclareLaunchArgument, list[IncludeLaunchDescription] | None]] = {}

        def search(
            entities: Iterable[LaunchDescriptionEntity],
            conditional: bool,
            includes: list[IncludeLaunchDescription] | None,
        ) -> None:
            for entity in entities:
                if isinstance(entity, ResetLaunchConfigurations):
                    return
                if isinstance(entity, DeclareLaunchArgument):
                    if entity.name in found:
                        continue
                    entity._conditionally_included = conditional or entity.condition is not None
                    found[entity.name] = (entity, includes)
                inner = includes
                if isinstance(entity, IncludeLaunchDescription):
                    inner = [*(includes or []), entity]
                search(entity.describe_sub_entities(), False, inner)
                for _, sub_entities in entity.describe_conditional_sub_entities():
                    search(sub_entities, True, inner)

        search(self.entities, conditional_inclusion, None)
        return list(found.values())
