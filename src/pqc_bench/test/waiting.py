# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Wait for something that a test has caused."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_for(condition: Callable[[], object], limit_s: float) -> None:
    """Return once the condition holds; AssertionError if it doesn't in that time."""
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
