# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The error that ends a demonstration or a measurement before its result."""

from __future__ import annotations

from pqc_policy.shown_text import shown


class RunFault(RuntimeError):
    """A run can't continue; the text is one sentence for the user."""

    def __init__(self, sentence: object) -> None:
        super().__init__(shown(sentence))
