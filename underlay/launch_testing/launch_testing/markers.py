# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Marks for test descriptions."""

from __future__ import annotations

from collections.abc import Callable


def keep_alive(test_description: Callable) -> Callable:
    """Go on testing when all processes have ended."""
    markers = getattr(test_description, "__markers__", {})
    test_description.__markers__ = {**markers, "keep_alive": True}
    return test_description
