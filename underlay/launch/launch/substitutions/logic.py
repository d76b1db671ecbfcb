# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Substitutions that compute; a boolean result is the text 'true' or 'false'."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterable
from typing import Any

from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions
from ..utilities.type_utils import is_substitution, perform_typed_substitution
from .substitution_failure import SubstitutionFailure


def _text(value: bool) -> str:
    return str(value).lower()


class PythonExpression(Substitution):
    """The value of a Python expression; names from math are visible."""

    def __init__(
        self,
        expression: SomeSubstitutionsType,
        python_modules: SomeSubstitutionsType = ("math",),
    ) -> None:
        self.__expression = normalize_to_list_of_substitutions(expression)
        self.__python_modules = normalize_to_list_of_substitutions(python_modules)

    def describe(self) -> str:
        """Return a readable form."""
        return f"PythonExpr({' + '.join(sub.describe() for sub in self.__expression)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the value as text."""
        names: dict[str, Any] = {}
        for sub in self.__python_modules:
            module = importlib.import_module(context.perform_substitution(sub))
            names[module.__name__] = module
            if module is math:
                names.update(vars(math))
        return str(eval(perform_substitutions(context, self.__expression), {}, names))


class EqualsSubstitution(Substitution):
    """Whether two values are equal: as booleans or numbers if both are, otherwise as text."""

    def __init__(self, left: Any, right: Any) -> None:
        self.__left = self.__normalize(left)
        self.__right = self.__normalize(right)

    @staticmethod
    def __normalize(value: Any) -> list[Substitution]:
        if value is None:
            value = ""
        elif isinstance(value, bool):
            value = _text(value)
        elif not is_substitution(value):
            value = str(value)
        return normalize_to_list_of_substitutions(value)

    def describe(self) -> str:
        """Return a readable form."""
        return f"{type(self).__name__}({self.__left} {self.__right})"

    def perform(self, context: LaunchContext) -> str:
        """Return the answer."""
        left = perform_substitutions(context, self.__left)
        right = perform_substitutions(context, self.__right)
        booleans = {"true": True, "1": True, "false": False, "0": False}
        if left.lower() in booleans and right.lower() in booleans:
            return _text(booleans[left.lower()] == booleans[right.lower()])
        try:
            return _text(math.isclose(float(left), float(right)))
        except ValueError:
            return _text(left == right)


class NotEqualsSubstitution(EqualsSubstitution):
    """The opposite of EqualsSubstitution."""

    def perform(self, context: LaunchContext) -> str:
        """Return the answer."""
        return _text(super().perform(context) != "true")


class _BooleanSubstitution(Substitution):
    """Combines arguments that are the text of booleans."""

    _combine: Callable[[Iterable[bool]], bool]

    def __init__(self, *args: SomeSubstitutionsType) -> None:
        self.__args = [normalize_to_list_of_substitutions(arg) for arg in args]

    def describe(self) -> str:
        """Return a readable form."""
        return f"{type(self).__name__}({' '.join(str(arg) for arg in self.__args)})"

    def perform(self, context: LaunchContext) -> str:
        """Return the answer; SubstitutionFailure if an argument is no boolean."""
        try:
            values = [perform_typed_substitution(context, arg, bool) for arg in self.__args]
        except (TypeError, ValueError) as error:
            raise SubstitutionFailure(str(error)) from error
        return _text(type(self)._combine(values))


class AnySubstitution(_BooleanSubstitution):
    """Whether at least one argument is true."""

    _combine = any


class AllSubstitution(_BooleanSubstitution):
    """Whether all arguments are true."""

    _combine = all


class NotSubstitution(_BooleanSubstitution):
    """The opposite of its argument."""

    def __init__(self, value: SomeSubstitutionsType) -> None:
        super().__init__(value)

    @staticmethod
    def _combine(values: Iterable[bool]) -> bool:
        return not all(values)


class AndSubstitution(AllSubstitution):
    """Whether both arguments are true."""

    def __init__(self, left: SomeSubstitutionsType, right: SomeSubstitutionsType) -> None:
        super().__init__(left, right)


class OrSubstitution(AnySubstitution):
    """Whether at least one of two arguments is true."""

    def __init__(self, left: SomeSubstitutionsType, right: SomeSubstitutionsType) -> None:
        super().__init__(left, right)
