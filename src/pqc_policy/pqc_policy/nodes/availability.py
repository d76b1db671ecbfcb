# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps whether a device or source is available; logs only changes."""

from __future__ import annotations

from typing import Any


class Availability:
    def __init__(self, logger: Any, name: str) -> None:
        """Each log line starts with `name`."""
        self._logger = logger
        self._name = name
        self.available: bool | None = None  # None: not checked yet

    def found(self, what: str) -> None:
        """Log that it is available, if it was not before."""
        if not self.available:
            self.available = True
            self._logger.info(f"{self._name}: {what}.")

    def lost(self, why: str) -> None:
        """Log that it is not available, if it was before."""
        if self.available is not False:
            self.available = False
            self._logger.warning(f"{self._name}: {why}.")
