# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Print a launch description as a tree."""

from __future__ import annotations

from collections.abc import Iterable

from .launch_description import LaunchDescription
from .launch_description_entity import LaunchDescriptionEntity


class LaunchIntrospector:
    """Formats descriptions without launching them."""

    def format_launch_description(self, launch_description: LaunchDescription) -> str:
        """Return the tree of entities, one a line."""
        lines = [str(launch_description), *self._branch(launch_description.entities)]
        return "\n".join(lines)

    def _branch(self, entities: Iterable[LaunchDescriptionEntity], indent: str = "") -> list[str]:
        lines: list[str] = []
        items = list(entities)
        for position, entity in enumerate(items):
            last = position == len(items) - 1
            lines.append(f"{indent}{'└' if last else '├'}── {entity.describe()}")
            deeper = indent + ("    " if last else "│   ")
            lines += self._branch(entity.describe_sub_entities(), deeper)
            for _, sub_entities in entity.describe_conditional_sub_entities():
                lines += self._branch(sub_entities, deeper)
        return lines
