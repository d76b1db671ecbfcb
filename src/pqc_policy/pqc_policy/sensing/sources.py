# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which of two sources of the same thing is listened to."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Sources:
    """The first one whenever it speaks, the other one while the first is silent."""

    silence_s: float = 2.0
    last_s: dict[str, float] = field(default_factory=dict)

    def first(self, name: str, now_s: float) -> None:
        """Note that the first source spoke."""
        self.last_s[name] = now_s

    def second_counts(self, name: str, now_s: float) -> bool:
        """Tell whether the first has been silent for longer than silence_s."""
        spoke_s = self.last_s.get(name)
        return spoke_s is None or now_s - spoke_s > self.silence_s
