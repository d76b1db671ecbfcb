# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The finding of a detector, and the classes of attack."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Attack(StrEnum):
    """Classes of an attack that the detectors of this package tell apart."""

    NONE = ""
    LOSS = "loss"  # datagrams that were sent don't arrive
    FALL = "fall"  # fewer arrive than usual, and what was sent is not known
    SURGE = "surge"  # many more than usual
    FORGERY = "forgery"  # datagrams that fail authentication
    REPLAY = "replay"  # datagrams that were received before
    FLOOD = "flood"  # datagrams of no known form, or faster than they are read


SUSPICIOUS = 0.5  # score from which traffic is suspicious


@dataclass(frozen=True, slots=True)
class Finding:
    score: float  # 0 for normal traffic, 1 for an attack
    kind: str = ""  # a class of attack, of this package or of the detector's own
    evidence: str = ""  # a sentence for a person
    probability: float | None = None  # of an attack, 0 to 1; None: the detector is not calibrated
    doubt: str = ""  # why the finding must not be relied on alone, a sentence; empty: it may
    drift: float | None = None  # from the training data (drift.py), 0 to 1; None: not known
