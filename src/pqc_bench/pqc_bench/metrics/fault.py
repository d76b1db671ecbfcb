# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a metrics file."""

from __future__ import annotations


class MetricsFault(ValueError):
    """A metrics file that can't be trusted or understood; the message is one sentence."""
