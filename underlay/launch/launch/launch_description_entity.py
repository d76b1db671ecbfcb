# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Anything that can stand in a launch description."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class LaunchDescriptionEntity:
    """Visited while launching, described while inspecting."""

    def describe(self) -> str:
        """Return a readable form."""
        return repr(self)

    def describe_sub_entities(self) -> list[LaunchDescriptionEntity]:
        """Return the entities that a visit always yields."""
        return []

    def describe_conditional_sub_entities(
        self,
    ) -> list[tuple[str, Iterable[LaunchDescriptionEntity]]]:
        """Return (condition in words, entities) for what a visit may yield."""
        return []

    def visit(self, context: LaunchContext) -> list[LaunchDescriptionEntity] | None:
        """Do the entity's work and return further entities to visit now."""
        return None

    def get_asyncio_future(self) -> asyncio.Future | None:
        """Return a future that is done when the entity's work is over, or None."""
        return None
