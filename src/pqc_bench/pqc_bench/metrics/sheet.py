# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A sheet of metrics: each value is set once, and each missing value has a reason."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from pqc_bench.metrics.schema import leaves, needs_reason, resolve, schema

UNAVAILABLE = "unavailable"
NOT_APPLICABLE = "not_applicable"
ZERO = "zero"
ODD = "odd"
ELSEWHERE = "elsewhere"
BELOW = "below_resolution"
_COUNTED = "It was counted, and there was none."
_MEASURED = "It was measured, and came out as zero."
_VERSION = 1
# It is computed when the rest is complete.
_HASH = "r_validation.sha256"


class OverwriteError(RuntimeError):
    """A second, different value for the same metric; each source needs a metric of its own."""


class UnknownMetricError(RuntimeError):
    """A value for a path that metrics.schema.json does not have, and so would not be written."""


class Sheet:
    """Collects values by their path (category.member.member)."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._reasons: dict[str, tuple[str, str]] = {}
        self._zeros: dict[str, str] = {}
        self._remarks: dict[str, tuple[str, str]] = {}

    def put(self, path: str, value: Any, reason: str = "", status: str = UNAVAILABLE) -> None:
        """Set a value, with the reason if it is null; a mapping sets each of its members.

        OverwriteError if there is another value already; UnknownMetricError if the schema has no
        such path.
        """
        part = _part_of(path)
        if isinstance(value, Mapping) and "properties" in part:
            for name, member in value.items():
                self.put(f"{path}.{name}", member, reason, status)
            return
        value = _plain(value)
        if self._values.get(path) is not None and self._values[path] != value:
            raise OverwriteError(f"{path} is {self._values[path]} already, not {value}")
        self._values[path] = value
        if reason and value is None:
            self._reasons[path] = (status, reason)

    def lack(self, path: str, reason: str, status: str = UNAVAILABLE) -> None:
        """Set the reason for a null metric, or for all null metrics below a path."""
        self._reasons.setdefault(path, (status, reason))

    def zero(self, path: str, reason: str) -> None:
        """Set the meaning of a zero that is not a count."""
        self._zeros[path] = reason

    def remark(self, path: str, reason: str, status: str = ODD) -> None:
        """Set a remark on a value that is not null."""
        self._remarks.setdefault(path, (status, reason))

    def finish(self, default: str) -> dict[str, Any]:
        """Return the document without its hash; `default` is the reason for all other nulls."""
        document: dict[str, Any] = {}
        for name, part in schema()["properties"].items():
            if name not in ("schema_version", "metric_status"):
                document[name] = self._filled(name, resolve(part))
        document["schema_version"] = _VERSION
        status = {
            path: dict(zip(("status", "reason"), self._why(path, value, default), strict=True))
            for path, value in leaves(document)
            if needs_reason(value) and path != _HASH
        }
        for path, (name, reason) in self._remarks.items():
            status[path] = {"status": name, "reason": reason}
        document["metric_status"] = {path: status[path] for path in sorted(status)}
        order = list(schema()["properties"])
        return {name: document[name] for name in order}

    def _filled(self, path: str, part: dict[str, Any]) -> Any:
        if "properties" in part:
            return {
                name: self._filled(f"{path}.{name}", resolve(inner))
                for name, inner in part["properties"].items()
            }
        if path in self._values:
            return self._values[path]
        json_type = part.get("type", "null")
        if json_type == "object":
            return {}
        return [] if json_type == "array" else None

    def _why(self, path: str, value: Any, default: str) -> tuple[str, str]:
        if value is not None:
            usual = _COUNTED if isinstance(value, int) else _MEASURED
            return (ZERO, self._zeros.get(path, usual))
        parts = path.split(".")
        for length in range(len(parts), 0, -1):
            why = self._reasons.get(".".join(parts[:length]))
            if why is not None:
                return why
        return (UNAVAILABLE, default)


def _part_of(path: str) -> dict[str, Any]:
    part: dict[str, Any] = schema()
    for name in path.split("."):
        if name not in part.get("properties", {}):
            raise UnknownMetricError(f"metrics.schema.json has no {path}")
        part = resolve(part["properties"][name])
    return part


def _plain(value: Any) -> Any:
    """Return a value as JSON knows it: no NaN or infinity, floats in a readable length."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, float):
        return _rounded(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value


def _rounded(value: float) -> float:
    return float(f"{value:.9g}")
