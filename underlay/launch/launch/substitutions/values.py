# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Substitutions that read a value from the launch context."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions
from .substitution_failure import SubstitutionFailure


class TextSubstitution(Substitution):
    """Fixed text."""

    def __init__(self, *, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"TextSubstitution expected text, got '{type(text)}'")
        self.__text = text

    @property
    def text(self) -> str:
        """The text."""
        return self.__text

    def describe(self) -> str:
        """Return the text in quotes."""
        return f"'{self.text}'"

    def perform(self, context: LaunchContext) -> str:
        """Return the text."""
        return self.text


class LaunchConfiguration(Substitution):
    """The value of a launch configuration, or the default."""

    def __init__(
        self,
        variable_name: SomeSubstitutionsType,
        *,
        default: Any | Iterable[Any] | None = None,
    ) -> None:
        self.__variable_name = normalize_to_list_of_substitutions(variable_name)
        self.__default: list[Substitution] | None = None
        if default is not None:
            items = default if isinstance(default, Iterable) else [default]
            if isinstance(default, str):
                items = [default]
            self.__default = normalize_to_list_of_substitutions(
                item if isinstance(item, (str, Substitution)) else str(item) for item in items
            )

    @property
    def variable_name(self) -> list[Substitution]:
        """The name of the launch configuration."""
        return self.__variable_name

    def describe(self) -> str:
        """Return a readable form."""
        return f"LaunchConfig({' + '.join(sub.describe() for sub in self.variable_name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the value; SubstitutionFailure if there is neither value nor default."""
        name = perform_substitutions(context, self.__variable_name)
        if name in context.launch_configurations:
            return context.launch_configurations[name]
        if self.__default is None:
            raise SubstitutionFailure(f"launch configuration '{name}' does not exist")
        return perform_substitutions(context, self.__default)


class EnvironmentVariable(Substitution):
    """The value of an environment variable, or the default."""

    def __init__(
        self,
        name: SomeSubstitutionsType,
        *,
        default_value: SomeSubstitutionsType | None = None,
    ) -> None:
        self.__name = normalize_to_list_of_substitutions(name)
        self.__default_value = (
            None if default_value is None else normalize_to_list_of_substitutions(default_value)
        )

    @property
    def name(self) -> list[Substitution]:
        """The name of the variable."""
        return self.__name

    def describe(self) -> str:
        """Return a readable form."""
        return f"EnvVar({' + '.join(sub.describe() for sub in self.name)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the value; SubstitutionFailure if there is neither value nor default."""
        name = perform_substitutions(context, self.name)
        if name in context.environment:
            return context.environment[name]
        if self.__default_value is None:
            raise SubstitutionFailure(f"environment variable '{name}' does not exist")
        return perform_substitutions(context, self.__default_value)


class LocalSubstitution(Substitution):
    """An attribute of context.locals, such as 'event.process_name'."""

    def __init__(self, expression: str, description: str | None = None) -> None:
        self.__expression = expression
        self.__description = description

    def describe(self) -> str:
        """Return a readable form."""
        return f"LocalVar('{self.__description or self.__expression}')"

    def perform(self, context: LaunchContext) -> str:
        """Return the value as text."""
        return eval(f"context.locals.{self.__expression}", {"context": context})


class ThisLaunchFile(Substitution):
    """The path of the launch file being visited."""

    def describe(self) -> str:
        """Return a readable form."""
        return "ThisLaunchFile()"

    def perform(self, context: LaunchContext) -> str:
        """Return the path; SubstitutionFailure outside of a launch file."""
        return _local(context, "current_launch_file_path", "ThisLaunchFile")


class ThisLaunchFileDir(Substitution):
    """The folder of the launch file being visited."""

    def describe(self) -> str:
        """Return a readable form."""
        return "ThisLaunchFileDir()"

    def perform(self, context: LaunchContext) -> str:
        """Return the folder; SubstitutionFailure outside of a launch file."""
        return _local(context, "current_launch_file_directory", "ThisLaunchFileDir")


def _local(context: LaunchContext, name: str, user: str) -> str:
    visible = context.get_locals_as_dict()
    if visible.get(name) is None:
        raise SubstitutionFailure(f"{user} used outside of a launch file (in a script)")
    return visible[name]
