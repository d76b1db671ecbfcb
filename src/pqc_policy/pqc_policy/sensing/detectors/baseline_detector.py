# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Scores what differs from the usual traffic and is missed by a model that looks at a few bins.

A model of a few bins can't know what was usual before, so that traffic which grows tenfold, or gets
lost bit by bit, looks like that of another link. The heuristic knows, but takes an outage of both
directions for an attack: here a loss counts as far as it lasts, and an outage is over before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from pqc_policy.sensing.detectors.finding import Attack, Finding
from pqc_policy.sensing.detectors.heuristic import Heuristic
from pqc_policy.sensing.traffic.bins import Bin
from pqc_policy.sensing.traffic.usual_traffic import Usual


@dataclass(frozen=True)
class BaselineDetector:
    """Scores a surge as the heuristic does, and a loss or a fall that lasts.

    No score is above that of the heuristic, nor above `most`, so that a detector which tells more
    classes apart names an attack that both see.
    """

    window: int = 50  # Bins in most of which a loss or a fall must show
    heuristic: Heuristic = field(default_factory=Heuristic)
    most: float = 0.9

    @property
    def name(self) -> str:
        return "baseline"

    @property
    def bins(self) -> int:
        return self.window + self.heuristic.bins

    def judge(self, bins: Sequence[Bin], usual: Usual) -> Finding | None:
        """Return the worst finding of both directions; None if nothing is known of either."""
        if not bins:
            return None
        spans = [self._until(end, bins, usual) for end in self._ends(len(bins))]
        found = []
        for index, newest in enumerate(spans[0]):
            lasting = median(_fall(span[index]) for span in spans)
            for one in newest:
                if one.kind == Attack.SURGE:
                    found.append(replace(one, score=min(one.score, self.most)))
                elif len(bins) >= self.window:
                    found.append(replace(one, score=min(one.score, lasting, self.most)))
        return max(found, key=lambda finding: finding.score, default=None)

    def _ends(self, bins: int) -> range:
        """Return where the heuristic's windows end, the newest first."""
        return range(bins, max(bins - self.window, 0), -self.heuristic.window)

    def _until(self, end: int, bins: Sequence[Bin], usual: Usual) -> list[list[Finding]]:
        return self.heuristic.of_ways(bins[max(end - self.heuristic.bins, 0) : end], usual)


def _fall(found: Sequence[Finding]) -> float:
    return max((one.score for one in found if one.kind != Attack.SURGE), default=0.0)
