# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""When to work and when to rest so as to use a given share of one core."""

from __future__ import annotations

# A detector that was kept from working doesn't make up for a long time.
_LONGEST_BACKLOG_S = 0.5
# Work comes in bursts, as windows of traffic do.
_BURST_S = 0.02


class Pacing:
    """Decides from the CPU time used so far. No clock of its own."""

    def __init__(self, share: float, now: float, used_s: float) -> None:
        """Begin at a time, in s, with what this process has used of the CPU, in s, until then."""
        self._share = share
        self._last = now
        self._used_s = used_s
        self._owed_s = _BURST_S

    def rest_s(self, now: float, used_s: float) -> float:
        """Return for how long to rest now; 0 to go on working."""
        self._owed_s += self._share * (now - self._last) - (used_s - self._used_s)
        self._owed_s = min(self._owed_s, _LONGEST_BACKLOG_S * self._share)
        self._last = now
        self._used_s = used_s
        if self._owed_s > 0.0 or self._share >= 1.0:
            return 0.0
        return (_BURST_S - self._owed_s) / self._share
