# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Actions that stand for other entities."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..launch_description import LaunchDescription
from ..launch_description_entity import LaunchDescriptionEntity
from ..launch_description_source import LaunchDescriptionSource
from ..launch_description_sources import AnyLaunchDescriptionSource
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions
from .configuration import (
    PopLaunchConfigurations,
    PushLaunchConfigurations,
    ResetLaunchConfigurations,
    SetLaunchConfiguration,
)
from .environment import PopEnvironment, PushEnvironment, ResetEnvironment
from .functions import OpaqueFunction

LaunchArguments = Iterable[tuple[SomeSubstitutionsType, SomeSubstitutionsType]]


class GroupAction(Action):
    """Entities with a common condition and, if scoped, configurations and environment of their own.

    Without forwarding the scope starts from nothing but the given launch_configurations.
    """

    def __init__(
        self,
        actions: Iterable[Action],
        *,
        scoped: bool = True,
        forwarding: bool = True,
        launch_configurations: dict[SomeSubstitutionsType, SomeSubstitutionsType] | None = None,
        **left_over_kwargs: Any,
    ) -> None:
        super().__init__(**left_over_kwargs)
        self.__actions = list(actions)
        self.__scoped = scoped
        self.__forwarding = forwarding
        self.__launch_configurations = launch_configurations or {}

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities with what begins and ends their scope."""
        sets = [
            SetLaunchConfiguration(name, value)
            for name, value in self.__launch_configurations.items()
        ]
        if not self.__scoped:
            return [*sets, *self.__actions]
        start: list[LaunchDescriptionEntity] = [PushLaunchConfigurations(), PushEnvironment()]
        if self.__forwarding:
            start += sets
        else:
            start += [ResetEnvironment(), ResetLaunchConfigurations(self.__launch_configurations)]
        return [*start, *self.__actions, PopEnvironment(), PopLaunchConfigurations()]

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Yield the entities."""
        return self.get_sub_entities()


class IncludeLaunchDescription(Action):
    """Includes another launch description and gives it arguments."""

    def __init__(
        self,
        launch_description_source: LaunchDescriptionSource | SomeSubstitutionsType,
        *,
        launch_arguments: LaunchArguments | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if not isinstance(launch_description_source, LaunchDescriptionSource):
            launch_description_source = AnyLaunchDescriptionSource(launch_description_source)
        self.__source = launch_description_source
        self.__launch_arguments = tuple(launch_arguments or ())

    @property
    def launch_description_source(self) -> LaunchDescriptionSource:
        """Where the description comes from."""
        return self.__source

    @property
    def launch_arguments(self) -> Sequence[tuple[SomeSubstitutionsType, SomeSubstitutionsType]]:
        """The arguments as (name, value)."""
        return self.__launch_arguments

    def describe(self) -> str:
        """Return a readable form."""
        return f"IncludeLaunchDescription({self.__source.location})"

    def get_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the description if it can be had without running."""
        description = self.__source.try_get_launch_description_without_context()
        return [] if description is None else [description]

    def execute(self, context: LaunchContext) -> list[LaunchDescriptionEntity]:
        """Yield the description; RuntimeError if an argument it requires is missing."""
        description = self.__source.get_launch_description(context)
        path = os.path.abspath(self.__source.location)
        folder = os.path.dirname(path) if os.path.exists(path) else self.__source.location
        names = ("current_launch_file_path", "current_launch_file_directory")
        before = {name: context.get_locals_as_dict().get(name) for name in names}
        context.extend_locals(dict(zip(names, (path, folder), strict=True)))
        self.__check_arguments(context, description)
        return [
            *(SetLaunchConfiguration(name, value) for name, value in self.__launch_arguments),
            description,
            OpaqueFunction(function=lambda context: context.extend_locals(before)),
        ]

    def _argument_names(self, context: LaunchContext) -> list[str]:
        return [
            perform_substitutions(context, normalize_to_list_of_substitutions(name))
            for name, _ in self.__launch_arguments
        ]

    def __check_arguments(self, context: LaunchContext, description: LaunchDescription) -> None:
        given = self._argument_names(context)
        found = description.get_launch_arguments_with_include_launch_description_actions()
        for argument, includes in found:
            if argument._conditionally_included or argument.default_value is not None:
                continue
            known = list(given)
            for include in includes or ():
                known += include._argument_names(context)
            if argument.name not in known:
                raise RuntimeError(
                    "Included launch description missing required argument "
                    f"'{argument.name}' (description: '{argument.description}'), "
                    f"given: [{', '.join(known)}]"
                )
