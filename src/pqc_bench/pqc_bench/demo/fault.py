# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What can go wrong with the demonstration."""

from __future__ import annotations


class DemoFault(RuntimeError):
    """The demonstration can't go on; the text is one sentence for a person."""
