# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The sections of a ROS parameter file: which node each is for, and its values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_ROS = "ros__parameters"


@dataclass(frozen=True)
class Section:
    """The values under one `ros__parameters`."""

    name: str  # as in the file, namespaces above it included
    values: Mapping[str, Any]  # by flat name

    def applies_to(self, node: str) -> bool:
        """Return whether ROS gives the section to a node, whose name is fully qualified."""
        return _matches(_tokens(self.name), _tokens(node))


def sections(document: Any, above: str = "") -> Iterator[Section]:
    """Yield the sections of a parameter file that YAML has read."""
    if not isinstance(document, Mapping):
        return
    for name, value in document.items():
        if name == _ROS:
            yield Section(above, flat(value) if isinstance(value, Mapping) else {})
        else:
            yield from sections(value, f"{above}/{name}" if above else str(name))


def flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the values of a nested table by their names, joined by dots."""
    values: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, Mapping):
            values |= flat(value, f"{prefix}{name}.")
        else:
            values[f"{prefix}{name}"] = value
    return values


def _tokens(name: str) -> list[str]:
    return [token for token in name.split("/") if token]


def _matches(pattern: Sequence[str], name: Sequence[str]) -> bool:
    # As in rcl: * stands for one token, ** for any number of them.
    if not pattern:
        return not name
    if pattern[0] == "**":
        return _matches(pattern[1:], name) or (bool(name) and _matches(pattern, name[1:]))
    return bool(name) and pattern[0] in ("*", name[0]) and _matches(pattern[1:], name[1:])
