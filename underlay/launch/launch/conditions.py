# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Conditions over text that reads as true or false."""

from __future__ import annotations

from .launch_context import LaunchContext
from .substitutions import SomeSubstitutionsType, Text


class IfCondition:
    """Holds if the expression is true."""

    def __init__(self, predicate_expression: SomeSubstitutionsType) -> None:
        self.__expression = Text(predicate_expression)

    def evaluate(self, context: LaunchContext) -> bool:
        """Return the value; ValueError for text that is neither true, false, 1 nor 0."""
        expanded = self.__expression.perform(context).strip().lower()
        if expanded not in ("true", "1", "false", "0"):
            raise ValueError(
                "invalid condition expression, expected one of [true, 1, false, 0] "
                f"but got '{expanded}', expanded from '{self.__expression.describe()}'"
            )
        return expanded in ("true", "1")
