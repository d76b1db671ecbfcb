# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What ends a demonstration or a measurement before its result."""

from __future__ import annotations


class RunFault(RuntimeError):
    """A run can't go on; the text is one sentence for a person."""
