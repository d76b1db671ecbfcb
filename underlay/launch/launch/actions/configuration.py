# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Actions on launch configurations."""

from __future__ import annotations

from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions


class DeclareLaunchArgument(Action):
    """Makes a launch configuration an argument of the description, with default and choices."""

    def __init__(
        self,
        name: str,
        *,
        default_value: SomeSubstitutionsType | None = None,
        description: str | None = None,
        choices: list[str] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if choices is not None and not choices:
            raise RuntimeError("Provided choices arg is empty. Use None to ignore the choice list.")
        if choices is not None and isinstance(default_value, str) and default_value not in choices:
            raise RuntimeError(
                f'Provided default_value "{default_value}" is not in provided choices "{choices}".'
            )
        self.__name = name
        self.__choices = choices
        self.__default_value = (
            None if default_value is None else normalize_to_list_of_substitutions(default_value)
        )
        if description is None:
            description = "no description given" if choices is None else f"One of: {choices}"
        elif choices is not None:
            description = f"{description.removesuffix('.')}. Valid choices are: {choices}"
        self.__description = description
        self._conditionally_included = False

    @property
    def name(self) -> str:
        """The name of the argument."""
        return self.__name

    @property
    def default_value(self) -> list[Substitution] | None:
        """The default, or None if a value is required."""
        return self.__default_value

    @property
    def description(self) -> str:
        """The meaning in words, with the choices."""
        return self.__description

    @property
    def choices(self) -> list[str] | None:
        """The allowed values, or None if anything is allowed."""
        return self.__choices

    def execute(self, context: LaunchContext) -> None:
        """Set the default where needed; RuntimeError for a missing or forbidden value."""
        if self.name not in context.launch_configurations:
            if self.default_value is None:
                raise RuntimeError(f'Required launch argument "{self.name}" was not provided.')
            context.launch_configurations[self.name] = perform_substitutions(
                context, self.default_value
            )
        value = context.launch_configurations[self.name]
        if self.choices is not None and value not in self.choices:
            raise RuntimeError(
                f'Argument "{self.name}" provided value "{value}" is not valid. '
                f"Valid options are: {self.choices}"
            )


class SetLaunchConfiguration(Action):
    """Sets a launch configuration."""

    def __init__(
        self, name: SomeSubstitutionsType, value: SomeSubstitutionsType, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.__name = normalize_to_list_of_substitutions(name)
        self.__value = normalize_to_list_of_substitutions(value)

    @property
    def name(self) -> list[Substitution]:
        """The name of the launch configuration."""
        return self.__name

    @property
    def value(self) -> list[Substitution]:
        """The value."""
        return self.__value

    def execute(self, context: LaunchContext) -> None:
        """Set it."""
        name = perform_substitutions(context, self.__name)
        context.launch_configurations[name] = perform_substitutions(context, self.__value)


class UnsetLaunchConfiguration(Action):
    """Removes a launch configuration."""

    def __init__(self, name: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__name = normalize_to_list_of_substitutions(name)

    def execute(self, context: LaunchContext) -> None:
        """Remove it if it is there."""
        context.launch_configurations.pop(perform_substitutions(context, self.__name), None)


class PushLaunchConfigurations(Action):
    """Begins a scope for launch configurations."""

    def execute(self, context: LaunchContext) -> None:
        """Begin the scope."""
        context._push_launch_configurations()


class PopLaunchConfigurations(Action):
    """Ends the innermost scope for launch configurations."""

    def execute(self, context: LaunchContext) -> None:
        """End the scope."""
        context._pop_launch_configurations()


class ResetLaunchConfigurations(Action):
    """Removes all launch configurations but the given ones."""

    def __init__(
        self,
        launch_configurations: dict[SomeSubstitutionsType, SomeSubstitutionsType] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.__launch_configurations = launch_configurations or {}

    def execute(self, context: LaunchContext) -> None:
        """Evaluate the given ones, then remove the others."""

        def text(subs: SomeSubstitutionsType) -> str:
            return perform_substitutions(context, normalize_to_list_of_substitutions(subs))

        kept = {text(name): text(value) for name, value in self.__launch_configurations.items()}
        context.launch_configurations.clear()
        context.launch_configurations.update(kept)
