# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Text whose value is known only while launching."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class SubstitutionFailure(RuntimeError):
    """Raised by perform() if a substitution has no value."""


class Substitution:
    """Base of all substitutions."""

    def describe(self) -> str:
        """Return a readable form, without a value."""
        raise NotImplementedError

    def perform(self, context: LaunchContext) -> str:
        raise NotImplementedError


SomeSubstitutionsType = Union[str, Substitution, Iterable[Union[str, Substitution]]]  # noqa: UP007


class Text(Substitution):
    """The value of an argument: text, a substitution, or a list of both to be joined."""

    def __init__(self, parts: SomeSubstitutionsType) -> None:
        self.__parts = [parts] if isinstance(parts, (str, Substitution)) else list(parts)
        for part in self.__parts:
            if not isinstance(part, (str, Substitution)):
                raise TypeError(
                    f"expected 'str' or 'launch.Substitution', got '{part}' of type '{type(part)}'"
                )

    def describe(self) -> str:
        return " + ".join(
            f"'{part}'" if isinstance(part, str) else part.describe() for part in self.__parts
        )

    def perform(self, context: LaunchContext) -> str:
        return "".join(
            part if isinstance(part, str) else part.perform(context) for part in self.__parts
        )


class LaunchConfiguration(Substitution):
    def __init__(self, variable_name: str) -> None:
        self.__variable_name = variable_name

    def describe(self) -> str:
        return f"LaunchConfig('{self.__variable_name}')"

    def perform(self, context: LaunchContext) -> str:
        """Return the value; SubstitutionFailure if there is none."""
        name = self.__variable_name
        if name not in context.launch_configurations:
            raise SubstitutionFailure(f"launch configuration '{name}' does not exist")
        return context.launch_configurations[name]


class PathJoinSubstitution(Substitution):
    def __init__(self, substitutions: Iterable[SomeSubstitutionsType]) -> None:
        self.__parts = [Text(part) for part in substitutions]

    def describe(self) -> str:
        return f"PathJoin('{' + '.join(part.describe() for part in self.__parts)}')"

    def perform(self, context: LaunchContext) -> str:
        return os.path.join(*(part.perform(context) for part in self.__parts))
