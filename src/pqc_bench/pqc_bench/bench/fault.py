# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What ends a measurement before its result."""

from __future__ import annotations


class BenchFault(RuntimeError):
    """A measurement can't be done; the text is one sentence for a person."""
