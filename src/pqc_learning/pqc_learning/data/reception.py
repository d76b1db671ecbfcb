# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The figures of a LinkView at any time of a flight, from all arrivals of one direction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pqc_learning.data.passage import Passage

_WINDOW_S = 5.0
_JITTER_GAPS = 120  # older changes of the spacing no longer count
_JITTER_WEIGHTS = (15.0 / 16.0) ** np.arange(_JITTER_GAPS)[::-1] / 16.0


@dataclass(frozen=True, slots=True)
class View:
    """The fields of a LinkView that the advisor reads."""

    window_s: float
    packets_per_s: float
    bytes_per_s: float
    gap_p95_s: float
    longest_silence_s: float
    jitter_s: float
    packets: int
    lost: int
    reordered: int
    duplicates: int


class Reception:
    """One direction at its receiver."""

    def __init__(self, passage: Passage, mean_bytes: float) -> None:
        """Count the arrivals of the whole flight at once."""
        self._arrival_s = passage.arrival_s
        self._copies_s = passage.copies_s
        self._mean_bytes = mean_bytes
        highest = np.maximum.accumulate(passage.sequence)
        self._expected = highest + 1
        behind = passage.sequence < highest
        self._reordered = np.cumsum(behind)
        self._gap_s = np.diff(passage.arrival_s, prepend=0.0)
        self._change_s = np.abs(np.diff(self._gap_s, prepend=0.0))

    def heard_s(self, now_s: float) -> float | None:
        """Return the time since the newest arrival in s; None before the first."""
        last = int(np.searchsorted(self._arrival_s, now_s, "right"))
        return now_s - float(self._arrival_s[last - 1]) if last else None

    def view(self, now_s: float, repeats: int = 0) -> View:
        """Return the figures at a time; `repeats` are a stranger's copies until then."""
        first, last = np.searchsorted(self._arrival_s, (now_s - _WINDOW_S, now_s), "right")
        duplicates = int(np.searchsorted(self._copies_s, now_s, "right")) + repeats
        silence_s = now_s - float(self._arrival_s[last - 1]) if last else now_s
        gaps = np.append(self._gap_s[first:last], silence_s)
        rank = -(-95 * len(gaps) // 100) - 1
        window_s = min(now_s, _WINDOW_S)
        packets = int(last - first)
        per_s = packets / max(window_s, _WINDOW_S / 20.0)
        changes = self._change_s[max(last - _JITTER_GAPS, 2) : last]
        return View(
            window_s,
            per_s,
            per_s * self._mean_bytes,
            float(np.partition(gaps, rank)[rank]),
            float(gaps.max()),
            float(changes @ _JITTER_WEIGHTS[-len(changes) :]) if len(changes) else 0.0,
            int(last),
            int(self._expected[last - 1] - last) if last else 0,
            int(self._reordered[last - 1]) if last else 0,
            duplicates,
        )
