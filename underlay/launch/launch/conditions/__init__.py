# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Conditions over text that reads as true or false."""

from __future__ import annotations

from ..condition import Condition
from ..launch_context import LaunchContext
from ..some_substitutions_type import SomeSubstitutionsType
from ..substitution import Substitution
from ..utilities import normalize_to_list_of_substitutions, perform_substitutions

__all__ = [
    "IfCondition",
    "InvalidConditionExpressionError",
    "LaunchConfigurationEquals",
    "LaunchConfigurationNotEquals",
    "UnlessCondition",
    "evaluate_condition_expression",
]


class InvalidConditionExpressionError(ValueError):
    """Raised for text that is neither true, false, 1 nor 0."""


def evaluate_condition_expression(context: LaunchContext, expression: list[Substitution]) -> bool:
    """Return whether the expanded text is 'true' or '1' rather than 'false' or '0'."""
    expanded = perform_substitutions(context, expression).strip().lower()
    if expanded in ("true", "1"):
        return True
    if expanded in ("false", "0"):
        return False
    source = " + ".join(sub.describe() for sub in expression)
    raise InvalidConditionExpressionError(
        "invalid condition expression, expected one of [true, 1, false, 0] "
        f"but got '{expanded}', expanded from '{source}'"
    )


class IfCondition(Condition):
    """Holds if the expression is true."""

    def __init__(self, predicate_expression: SomeSubstitutionsType) -> None:
        self.__expression = normalize_to_list_of_substitutions(predicate_expression)
        super().__init__(
            predicate=lambda context: evaluate_condition_expression(context, self.__expression)
        )


class UnlessCondition(IfCondition):
    """Holds if the expression is false."""

    def evaluate(self, context: LaunchContext) -> bool:
        """Return the opposite of the expression."""
        return not super().evaluate(context)


class LaunchConfigurationEquals(Condition):
    """Holds if a launch configuration has a value; None stands for "is not set"."""

    def __init__(
        self, launch_configuration_name: str, expected_value: SomeSubstitutionsType | None
    ) -> None:
        self.__name = launch_configuration_name
        self.__expected = (
            None if expected_value is None else normalize_to_list_of_substitutions(expected_value)
        )
        super().__init__(predicate=self.__is_equal)

    def __is_equal(self, context: LaunchContext) -> bool:
        expected = (
            None if self.__expected is None else perform_substitutions(context, self.__expected)
        )
        return context.launch_configurations.get(self.__name) == expected


class LaunchConfigurationNotEquals(LaunchConfigurationEquals):
    """The opposite of LaunchConfigurationEquals."""

    def evaluate(self, context: LaunchContext) -> bool:
        """Return the opposite."""
        return not super().evaluate(context)
