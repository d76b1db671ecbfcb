# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The companion computer: its power, and the temperature of its processor."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ComputerType:
    """A single-board computer with a small heat sink."""

    idle_w: float = 2.9
    busy_w: float = 4.2  # more than idle, with all cores busy
    heat_j_per_k: float = 24.0
    still_k_per_w: float = 8.6  # above the air around it, on the ground
    flying_k_per_w: float = 6.2  # the same in the wash of the propellers
    sun_k: float = 9.0  # warming of the air in the bay by full sun


class Computer:
    """The state of a computer; `step` moves it through time."""

    def __init__(self, kind: ComputerType, ambient_c: float, sun: float, busy: float) -> None:
        self.kind = kind
        self.power_w = kind.idle_w + kind.busy_w * busy
        # The computer has been on for a while.
        self.temperature_c = ambient_c + kind.sun_k * sun + kind.still_k_per_w * self.power_w

    @property
    def load(self) -> float:
        """Share of all cores that is busy, 0 to 1."""
        return (self.power_w - self.kind.idle_w) / self.kind.busy_w

    def step(self, busy: float, ambient_c: float, sun: float, flying: bool, seconds: float) -> None:
        """Let a short time pass; `busy` and `sun` are from 0 to 1."""
        kind = self.kind
        self.power_w = kind.idle_w + kind.busy_w * min(max(busy, 0.0), 1.0)
        resistance = kind.flying_k_per_w if flying else kind.still_k_per_w
        bay_c = ambient_c + kind.sun_k * sun
        away_w = (self.temperature_c - bay_c) / resistance
        self.temperature_c += (self.power_w - away_w) / kind.heat_j_per_k * seconds
