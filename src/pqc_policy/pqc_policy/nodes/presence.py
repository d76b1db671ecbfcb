# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether something is there, said in the log only when that changes."""

from __future__ import annotations

from typing import Any


class Presence:
    """One thing that may be absent."""

    def __init__(self, logger: Any, name: str) -> None:
        """`name` begins a sentence."""
        self._logger = logger
        self._name = name
        self.there: bool | None = None  # None: not looked for yet

    def found(self, what: str) -> None:
        """It is there."""
        if not self.there:
            self.there = True
            self._logger.info(f"{self._name}: {what}.")

    def lost(self, why: str) -> None:
        """It is not there."""
        if self.there is not False:
            self.there = False
            self._logger.warning(f"{self._name}: {why}.")
