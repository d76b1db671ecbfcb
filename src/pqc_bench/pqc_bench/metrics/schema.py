# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The schema of metrics.json, and the check that every null and zero is explained."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import Any

from jsonschema import Draft202012Validator

FILE = "metrics.schema.json"
_STATUS = "metric_status"
# These are no measurements.
_UNEXPLAINED = ("schema_version", _STATUS)


@cache
def schema() -> dict[str, Any]:
    return json.loads((resources.files(__package__) / FILE).read_text(encoding="utf-8"))


@cache
def _validator() -> Draft202012Validator:
    Draft202012Validator.check_schema(schema())
    return Draft202012Validator(schema())


def resolve(part: dict[str, Any]) -> dict[str, Any]:
    """Return a part of the schema, or the definition that it refers to."""
    reference = part.get("$ref")
    return part if reference is None else schema()["$defs"][reference.rpartition("/")[2]]


def problems(metrics: Any) -> list[str]:
    """Return the faults of a document, a sentence each; empty if it is valid."""
    found = [
        f"{'.'.join(str(step) for step in error.absolute_path) or 'the document'}: {error.message}"
        for error in _validator().iter_errors(metrics)
    ]
    if found:
        return found
    explained = metrics[_STATUS]
    values = dict(leaves(metrics))
    found += [
        f"{path} is {'null' if value is None else value} without a reason in metric_status"
        for path, value in values.items()
        if needs_reason(value) and path not in explained
    ]
    return found + [
        f"metric_status has a reason for {path}, which doesn't exist"
        for path in explained
        if path not in values
    ]


def needs_reason(value: Any) -> bool:
    """Return whether a value is null or zero."""
    return value is None or (not isinstance(value, bool) and value == 0)


def leaves(metrics: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield every value with its path: names and places in lists, with dots between them."""
    for name, value in metrics.items():
        if name not in _UNEXPLAINED:
            yield from _leaves(name, value)


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _leaves(f"{path}.{name}", part)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _leaves(f"{path}.{number}", part)
    else:
        yield path, value
