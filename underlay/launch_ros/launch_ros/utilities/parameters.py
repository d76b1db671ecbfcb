# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Dictionaries of parameters: nested names, substitutions, uniform lists.

The normal form of a dictionary maps a tuple of substitutions (the name; nested names are joined by
dots) to a plain value, to a ParameterValue, to a list of substitutions (text that YAML gives a
type), or to a list of plain values and lists of substitutions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml
from launch.launch_context import LaunchContext
from launch.substitution import Substitution
from launch.substitutions import TextSubstitution
from launch.utilities import normalize_to_list_of_substitutions, perform_substitutions
from launch.utilities.type_utils import is_substitution

from ..parameter_descriptions import Parameter, ParameterFile, ParameterValue

ParametersDict = dict[tuple[Substitution, ...], Any]


def normalize_parameters(parameters: Any) -> list[ParameterFile | Parameter | ParametersDict]:
    """Return files, single parameters and dictionaries in their normal forms."""
    if isinstance(parameters, str) or not isinstance(parameters, Sequence):
        raise TypeError(f"Expecting list of parameters, got {parameters}")
    normalized: list[ParameterFile | Parameter | ParametersDict] = []
    for item in parameters:
        if isinstance(item, Mapping):
            item = normalize_parameter_dict(item)
        elif not isinstance(item, (Parameter, ParameterFile)):
            item = ParameterFile(item)
        normalized.append(item)
    return normalized


def normalize_parameter_dict(
    parameters: Mapping[Any, Any], *, _prefix: Sequence[Substitution] = ()
) -> ParametersDict:
    """Return the normal form; TypeError for a value that cannot be a parameter."""
    normalized: ParametersDict = {}
    for name, value in parameters.items():
        full_name = tuple(normalize_to_list_of_substitutions(name))
        if _prefix:
            full_name = (*_prefix, TextSubstitution(text="."), *full_name)
        if isinstance(value, Mapping):
            normalized.update(normalize_parameter_dict(value, _prefix=full_name))
        else:
            normalized[full_name] = _normalize_value(value)
    return normalized


def _normalize_value(value: Any) -> Any:
    if isinstance(value, (ParameterValue, bool, int, float, str, bytes)):
        return value
    if is_substitution(value):
        return normalize_to_list_of_substitutions(value)
    if isinstance(value, Sequence):
        items = [_normalize_value(item) for item in value]
        if {type(item) for item in items} == {int, float}:
            items = [float(item) for item in items]
        return items
    raise TypeError(f"Unexpected type for parameter value {value!r}")


def evaluate_parameter_dict(context: LaunchContext, parameters: ParametersDict) -> dict[str, Any]:
    """Return names and values; TypeError for a value that cannot be a parameter."""
    return {
        name: _evaluate_value(context, name, value)
        for name, value in (
            (perform_substitutions(context, name), value) for name, value in parameters.items()
        )
    }


def _evaluate_value(context: LaunchContext, name: str, value: Any) -> Any:
    if isinstance(value, ParameterValue):
        return value.evaluate(context)
    if is_substitution(value):
        return _from_yaml(name, perform_substitutions(context, value))
    if isinstance(value, list):
        items = [
            _from_yaml(name, perform_substitutions(context, item))
            if is_substitution(item)
            else item
            for item in value
        ]
        return _check_list(name, items)
    return value


def _from_yaml(name: str, text: str) -> Any:
    advice = (
        "If the parameter is meant to be a string, try wrapping it in "
        "launch_ros.parameter_descriptions.ParameterValue(value, value_type=str)"
    )
    try:
        value = yaml.safe_load(text) if text else ""
    except yaml.YAMLError:
        raise TypeError(
            f"Unable to parse the value of parameter {name} as yaml. {advice}"
        ) from None
    if isinstance(value, list):
        return _check_list(name, value)
    if not isinstance(value, (bool, int, float, str, bytes)):
        raise TypeError(
            "Allowed value types are bytes, bool, int, float, str and sequences of them. "
            f'Got {type(value)} for "{name}". {advice}'
        )
    return value


def _check_list(name: str, items: list[Any]) -> list[Any]:
    types = {type(item) for item in items}
    if len(types) != 1 or not types <= {bool, int, float, str}:
        raise TypeError(
            "Expected a non-empty sequence, with items of uniform type. Allowed sequence item "
            f'types are bool, int, float, str. Got inconsistent input for "{name}"'
        )
    return items
