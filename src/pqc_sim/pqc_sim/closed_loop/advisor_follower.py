# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The advisor node without ROS: it judges each new count of packets at the ground."""

from __future__ import annotations

from pqc_policy.policy.inputs import Link, Verdict
from pqc_policy.sensing.advisor import AdvisorState
from pqc_policy.sensing.advisor_settings import AdvisorSettings

from pqc_sim.closed_loop.sensed import ADVISOR_AGE_S

_SAME_S = 0.05


class AdvisorFollower:
    """The advisor with its shipped settings."""

    def __init__(self) -> None:
        settings = AdvisorSettings()
        self._advisor = settings.make_advisor()
        self._stale_s: float = settings.stale_s
        self._state = AdvisorState()
        self._last_s: float | None = None
        self._heard_s: float | None = None

    def take(self, time_s: float, packets: int, _: Link) -> None:
        """Take the packets that the ground has counted until a time."""
        if self._last_s is not None and time_s - self._last_s <= _SAME_S:
            return
        self._last_s = time_s
        self._state = self._advisor.counted(self._state, time_s, packets)

    def verdict(self, now_s: float) -> tuple[float, Verdict | None]:
        """Return the time of the newest message before a whole second, and its verdict."""
        at_s = now_s - ADVISOR_AGE_S
        if self._last_s is None or at_s - self._last_s > self._stale_s:
            return at_s, None
        return at_s, self._state.verdict
