# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What turns the newest bins of packets into a score: 0 for normal traffic, 1 for an attack.

A further detector, a learned one for example, is one more class in DETECTORS. Its fields with a
description become parameters of the advisor's node, as `name.field`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Protocol

# Seen on a radio link: packets in a bin of 0.6 s.
NORMAL_PACKETS = 32.0
ATTACK_PACKETS = 14.0


class Detector(Protocol):
    """Judges bins."""

    name: str
    bins: int  # how many it needs

    def score(self, bins: Sequence[float], normal: float) -> float:
        """Return 0 to 1 for the newest `bins` bins, where `normal` packets are usual in one."""


def setting(default: float, description: str, low: float, high: float) -> Any:
    """Return a field that becomes a parameter; its type is that of the default."""
    return field(default=default, metadata={"description": description, "low": low, "high": high})


@dataclass(frozen=True)
class Heuristic:
    """How far the packets have fallen from normal to those of an attack."""

    bins: int = setting(5, "bins that are averaged", 1, 1000)
    attack_share: float = setting(
        ATTACK_PACKETS / NORMAL_PACKETS,
        "share of the normal packets at which the score is 1",
        0.0,
        0.99,
    )
    name: str = "heuristic"

    def score(self, bins: Sequence[float], normal: float) -> float:
        """Return 0 at the normal rate or above, 1 at that of an attack or below."""
        share = fmean(bins) / normal
        return min(max((1.0 - share) / (1.0 - self.attack_share), 0.0), 1.0)


DETECTORS: Mapping[str, type[Any]] = {"heuristic": Heuristic}
