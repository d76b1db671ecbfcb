# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Chooses between two sources of the same quantity."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class SourceFallback:
    """The first source counts; the second one only while the first is silent. Times are in s."""

    silence_s: float = 2.0
    last_s: dict[str, float] = field(default_factory=dict)

    def first(self, name: str, now_s: float) -> None:
        self.last_s[name] = now_s

    def second_counts(self, name: str, now_s: float) -> bool:
        """Return whether the first source has been silent for longer than silence_s."""
        spoke_s = self.last_s.get(name)
        return spoke_s is None or now_s - spoke_s > self.silence_s
