# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Actions on the environment that processes inherit."""

from __future__ import annotations

import os
from typing import Any

from ..action import Action
from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions
from ..utilities.type_utils import normalize_typed_substitution, perform_typed_substitution


class SetEnvironmentVariable(Action):
    """Sets an environment variable."""

    def __init__(
        self, name: SomeSubstitutionsType, value: SomeSubstitutionsType, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.__name = normalize_to_list_of_substitutions(name)
        self.__value = normalize_to_list_of_substitutions(value)

    def execute(self, context: LaunchContext) -> None:
        """Set it."""
        name = perform_substitutions(context, self.__name)
        context.environment[name] = perform_substitutions(context, self.__value)


class UnsetEnvironmentVariable(Action):
    """Removes an environment variable."""

    def __init__(self, name: SomeSubstitutionsType, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.__name = normalize_to_list_of_substitutions(name)

    def execute(self, context: LaunchContext) -> None:
        """Remove it if it is there."""
        context.environment.pop(perform_substitutions(context, self.__name), None)


class AppendEnvironmentVariable(Action):
    """Puts a value behind (or before) those an environment variable already has."""

    def __init__(
        self,
        name: SomeSubstitutionsType,
        value: SomeSubstitutionsType,
        prepend: bool | SomeSubstitutionsType = False,
        separator: SomeSubstitutionsType = os.pathsep,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.__name = normalize_to_list_of_substitutions(name)
        self.__value = normalize_to_list_of_substitutions(value)
        self.__prepend = normalize_typed_substitution(prepend, bool)
        self.__separator = normalize_to_list_of_substitutions(separator)

    def execute(self, context: LaunchContext) -> None:
        """Extend the variable, or set it if it is not there."""
        name = perform_substitutions(context, self.__name)
        values = [perform_substitutions(context, self.__value)]
        if name in context.environment:
            values.insert(0, context.environment[name])
        if perform_typed_substitution(context, self.__prepend, bool):
            values.reverse()
        separator = perform_substitutions(context, self.__separator)
        context.environment[name] = separator.join(values)


class PushEnvironment(Action):
    """Begins a scope for the environment."""

    def execute(self, context: LaunchContext) -> None:
        """Begin the scope."""
        context._push_environment()


class PopEnvironment(Action):
    """Ends the innermost scope for the environment."""

    def execute(self, context: LaunchContext) -> None:
        """End the scope."""
        context._pop_environment()


class ResetEnvironment(Action):
    """Restores the environment that launch was started with."""

    def execute(self, context: LaunchContext) -> None:
        """Restore it."""
        context._reset_environment()
