# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A piece of text whose value is known only while launching."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .launch_context import LaunchContext


class Substitution:
    """Base of all substitutions."""

    def describe(self) -> str:
        """Return a readable form, without a value."""
        return repr(self)

    def perform(self, context: LaunchContext) -> str:
        """Return the value in this context."""
        raise NotImplementedError(f"{type(self).__name__} must define perform()")
