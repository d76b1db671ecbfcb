# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Messages and services by the name of their type; their values as YAML."""

from __future__ import annotations

import array
import importlib
import sys
from collections.abc import Mapping
from typing import Any

import numpy
import yaml

from .cli import CommandError


def get_interface(name: str, kind: str) -> Any:
    """Return the class of 'package/msg/Type' or 'package/Type'; CommandError if there is none."""
    parts = name.split("/")
    if len(parts) == 2:
        parts.insert(1, kind)
    try:
        package, namespace, type_name = parts
        if namespace != kind:
            raise ValueError(f"'{name}' is not a {kind}")
        return getattr(importlib.import_module(f"{package}.{namespace}"), type_name)
    except (AttributeError, ImportError, ValueError) as error:
        what = {"msg": "message", "srv": "service"}[kind]
        raise CommandError(f"The passed {what} type is invalid: '{name}'") from error


def get_message(name: str) -> Any:
    return get_interface(name, "msg")


def get_service(name: str) -> Any:
    return get_interface(name, "srv")


def parse_values(text: str) -> dict[str, Any]:
    """Return YAML text as a dictionary; CommandError if it is something else."""
    try:
        values = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise CommandError(f"The passed value is not valid YAML: {error}") from error
    if not isinstance(values, dict):
        raise CommandError("The passed value needs to be a dictionary in YAML format")
    return values


def fill_message(message: Any, values: Mapping[str, Any]) -> None:
    """Set the fields, which are numbers and text in all requests of this workspace."""
    types = message.get_fields_and_field_types()
    for name, value in values.items():
        if name not in types:
            raise CommandError(
                f"Failed to populate field: '{type(message).__name__}' has no field '{name}'"
            )
        present = getattr(message, name)
        if not isinstance(present, (bool, int, float, str)):
            raise CommandError(f"Failed to populate field: {name} is a {types[name]}")
        try:
            setattr(message, name, type(present)(value))
        except (AssertionError, TypeError, ValueError, OverflowError) as error:
            raise CommandError(f"Failed to populate field: {name}: {error}") from error


def message_to_dict(message: Any, truncate: int) -> dict[str, Any]:
    """Return the fields; text and arrays longer than `truncate` are cut and end with '...'."""
    return {
        name: _plain(getattr(message, name), truncate)
        for name in message.get_fields_and_field_types()
    }


def _plain(value: Any, truncate: int) -> Any:
    if hasattr(value, "get_fields_and_field_types"):
        return message_to_dict(value, truncate)
    if isinstance(value, str):
        return value if len(value) <= truncate else value[:truncate] + "..."
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, (bytes, list, tuple, array.array, numpy.ndarray)):
        items = list(value[:truncate])
        cut = ["..."] if len(items) < len(value) else []
        return [_plain(item, truncate) for item in items] + cut
    return value


def message_to_yaml(message: Any, truncate: int) -> str:
    return yaml.dump(
        message_to_dict(message, truncate),
        Dumper=yaml.SafeDumper,
        sort_keys=False,
        allow_unicode=True,
        width=sys.maxsize,
        default_flow_style=False,
    )
