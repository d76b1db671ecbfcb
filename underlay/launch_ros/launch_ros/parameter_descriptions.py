# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The parameters of a node: names, and values that may be known only while launching."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml
from launch.launch_context import LaunchContext
from launch.substitutions import SomeSubstitutionsType, Substitution, Text


class ParameterValue:
    """A value whose type is given, so that text such as '1' stays text."""

    def __init__(
        self, value: SomeSubstitutionsType, *, value_type: type[str] | type[int]
    ) -> None:
        """Raise TypeError for plain text as a number: that must be an int or a substitution."""
        if isinstance(value, str) and value_type is not str:
            raise TypeError(f"value='{value}' is not an instance of {value_type}")
        self.__value = Text(value)
        self.__value_type = value_type

    def evaluate(self, context: LaunchContext) -> str | int:
        """Return the value; ValueError if it is not of the type."""
        return self.__value_type(self.__value.perform(context))


def evaluate_parameters(
    context: LaunchContext, parameters: Mapping[str, Any], prefix: str = ""
) -> dict[str, Any]:
    """Return names, nested ones joined by dots, and plain values.

    Raises TypeError for a value that cannot be a parameter.
    """
    found: dict[str, Any] = {}
    for name, value in parameters.items():
        if isinstance(value, Mapping):
            found |= evaluate_parameters(context, value, f"{prefix}{name}.")
        else:
            found[prefix + name] = _evaluate(context, prefix + name, value)
    return found


def _evaluate(context: LaunchContext, name: str, value: Any) -> Any:
    if isinstance(value, ParameterValue):
        return value.evaluate(context)
    if isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, Substitution):
        value = _from_yaml(name, value.perform(context))
    if isinstance(value, (list, tuple)):
        return _checked_list(name, list(value))
    if isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(
        "Allowed value types are bytes, bool, int, float, str and sequences of them. "
        f'Got {type(value)} for "{name}".'
    )


def _from_yaml(name: str, text: str) -> Any:
    try:
        return yaml.safe_load(text) if text else ""
    except yaml.YAMLError:
        raise TypeError(
            f"Unable to parse the value of parameter {name} as yaml. If the parameter is meant to "
            "be a string, try wrapping it in "
            "launch_ros.parameter_descriptions.ParameterValue(value, value_type=str)"
        ) from None


def _checked_list(name: str, items: list[Any]) -> list[Any]:
    types = {type(item) for item in items}
    if len(types) != 1 or not types <= {bool, int, float, str}:
        raise TypeError(
            "Expected a non-empty sequence, with items of uniform type. Allowed sequence item "
            f'types are bool, int, float, str. Got inconsistent input for "{name}"'
        )
    return items
