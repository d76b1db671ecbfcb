# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A question that decides whether an action is executed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class Condition:
    """Wraps a predicate over the launch context; without one it is false."""

    def __init__(self, *, predicate: Callable[[LaunchContext], bool] | None = None) -> None:
        self._predicate = predicate

    def describe(self) -> str:
        """Return a readable form."""
        return repr(self)

    def evaluate(self, context: LaunchContext) -> bool:
        """Return the answer in this context."""
        return self._predicate is not None and self._predicate(context)
