# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Values that may be given as text, as substitutions or already typed.

A data type is bool, int, float, str, a List of one of them; None means that YAML decides.
"""

from __future__ import annotations

import typing
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import yaml

from ..substitution import Substitution
from . import normalize_to_list_of_substitutions, perform_substitutions

if TYPE_CHECKING:
    from ..launch_context import LaunchContext

SCALARS = (bool, int, float, str)


def is_substitution(value: Any) -> bool:
    """Return whether the value is a substitution, or text and substitutions to be joined."""
    if isinstance(value, Substitution):
        return True
    if isinstance(value, str) or not isinstance(value, Iterable):
        return False
    items = list(value)
    return all(isinstance(item, (str, Substitution)) for item in items) and any(
        isinstance(item, Substitution) for item in items
    )


def extract_type(data_type: Any) -> tuple[type, bool]:
    """Return the scalar type and whether a list of it is meant."""
    is_list = typing.get_origin(data_type) is list
    scalar = typing.get_args(data_type)[0] if is_list else data_type
    if scalar not in SCALARS:
        raise ValueError(f"Unrecognized data type: {data_type}")
    return scalar, is_list


def _is_instance_of(value: Any, data_type: Any) -> bool:
    if data_type is None:
        if isinstance(value, list):
            return len({type(item) for item in value}) <= 1 and all(
                isinstance(item, SCALARS) for item in value
            )
        return isinstance(value, SCALARS)
    scalar, is_list = extract_type(data_type)
    if is_list:
        return isinstance(value, list) and all(isinstance(item, scalar) for item in value)
    return isinstance(value, scalar)


def coerce_to_type(value: str, data_type: Any = None) -> Any:
    """Return the text as a value of the data type; ValueError if it is not one."""
    if data_type is str:
        return value
    if data_type in (int, float):
        return data_type(value)
    text = {"1": "true", "0": "false"}.get(value, value) if data_type is bool else value
    if not text and data_type is None:
        return text
    try:
        output = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"Cannot read '{value}' as YAML: {error}") from error
    if not _is_instance_of(output, data_type):
        wanted = "a scalar or a uniform list" if data_type is None else f"'{data_type}'"
        raise ValueError(f"Cannot convert value '{value}' to {wanted}")
    return output


def normalize_typed_substitution(value: Any, data_type: Any) -> Any:
    """Return a typed value as it is, and substitutions as lists of substitutions."""
    if isinstance(value, SCALARS):
        if data_type is not None and not _is_instance_of(value, data_type):
            raise TypeError(f"value='{value}' is not an instance of {data_type}")
        return value
    if is_substitution(value):
        return normalize_to_list_of_substitutions(value)
    if not isinstance(value, Iterable):
        raise TypeError(f"expected a scalar, a list or substitutions, got '{value}'")
    if data_type is not None and not extract_type(data_type)[1]:
        raise TypeError(f"expected a '{data_type}', got the list '{value}'")
    return [
        normalize_to_list_of_substitutions(item) if is_substitution(item) else item
        for item in value
    ]


def perform_typed_substitution(context: LaunchContext, value: Any, data_type: Any) -> Any:
    """Return the value of what normalize_typed_substitution returned."""
    if isinstance(value, SCALARS):
        return value
    if is_substitution(value):
        return coerce_to_type(perform_substitutions(context, value), data_type)
    scalar = None if data_type is None else extract_type(data_type)[0]
    output = [
        coerce_to_type(perform_substitutions(context, item), scalar)
        if is_substitution(item)
        else item
        for item in value
    ]
    if not _is_instance_of(output, data_type):
        raise ValueError(f"the list '{output}' is not uniform or not of type '{data_type}'")
    return output
