# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Puts together what messages of different rates tell of the mission's phase."""

from __future__ import annotations

from pqc_policy.sensing.mission_phase import (
    Landed,
    Motion,
    Observation,
    Phase,
    PhaseConfig,
    PhaseState,
    observed,
)

_OLD_S = 3.0  # age from which a motion or a landed state is unknown


class PhaseTracker:
    """Keeps the newest landed state and motion; times are in s, of a monotonic clock."""

    def __init__(self, config: PhaseConfig) -> None:
        self.config = config
        self._state = PhaseState()
        self._landed: tuple[float, Landed] | None = None
        self._motion: tuple[float, Motion] | None = None

    def note_landed(self, time_s: float, number: int) -> None:
        """Take a MAV_LANDED_STATE; unknown numbers are undefined."""
        known = number in {each.value for each in Landed}
        self._landed = (time_s, Landed(number) if known else Landed.UNDEFINED)

    def note_motion(self, time_s: float, motion: Motion) -> None:
        """Take the content of a VFR_HUD."""
        self._motion = (time_s, motion)

    def phase(self, time_s: float, armed: bool, mode: str) -> tuple[Phase, Motion]:
        landed, motion = Landed.UNDEFINED, Motion()
        if self._landed is not None and time_s - self._landed[0] <= _OLD_S:
            landed = self._landed[1]
        if self._motion is not None and time_s - self._motion[0] <= _OLD_S:
            motion = self._motion[1]
        seen = Observation(time_s, armed, mode, landed, motion)
        self._state = observed(self.config, self._state, seen)
        return self._state.phase, motion
