# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Detectors turn the newest bins of packets into a score: 0 for normal traffic, 1 for an attack.

A further detector, a learned one for example, is a class like Heuristic and a field of
AdvisorSettings, which makes its settings parameters of the advisor node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Protocol

from pqc_policy.parameters import parameter

# Measured on a radio link: packets in a bin of 0.6 s.
NORMAL_PACKETS = 32.0
ATTACK_PACKETS = 14.0


class Detector(Protocol):
    """Scores bins."""

    name: str
    bins: int  # needed for a score

    def score(self, bins: Sequence[float], normal: float) -> float:
        """Return 0 to 1 for the newest bins; `normal` is the usual number of packets in one."""


@dataclass(frozen=True)
class Heuristic:
    """Scores how far the number of packets has fallen below normal."""

    bins: int = parameter(5, "Bins that are averaged.", "", 1, 1000, section="Heuristic")
    attack_share: float = parameter(
        ATTACK_PACKETS / NORMAL_PACKETS,
        "Share of the normal packets at which the score is 1.",
        "",
        0.0,
        0.99,
    )
    name: str = "heuristic"

    def score(self, bins: Sequence[float], normal: float) -> float:
        """Return 0 at the normal rate or above, 1 at that of an attack or below."""
        share = fmean(bins) / normal
        return min(max((1.0 - share) / (1.0 - self.attack_share), 0.0), 1.0)
