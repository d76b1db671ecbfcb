# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The episodes of a flight: attacks by class, and look-alikes, which are normal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pqc_policy.sensing.model_card import CLASSES, NORMAL

ATTACKS = CLASSES[1:]
UNSURE = -1  # label of a bin that is neither attack nor normal
# So long after an attack its traces remain in figures over a window.
_TRACES_S = 7.0


@dataclass(frozen=True, slots=True)
class Episode:
    """An attack, or something benign that resembles one."""

    label: str  # one of CLASSES
    kind: str  # e.g. sweeps, handover
    start_s: float
    end_s: float
    shown_s: float | None = None  # when it becomes strong enough to learn from; None: at once

    @property
    def is_attack(self) -> bool:
        return self.label != NORMAL


def labels(
    episodes: Sequence[Episode], start_s: NDArray[np.float64], bin_s: float
) -> NDArray[np.int8]:
    """Return the index in CLASSES of each bin, by the starts of the bins.

    UNSURE are the edges of an attack, and its begin while it has next to no effect.
    """
    end_s = start_s + bin_s
    found = np.zeros(len(start_s), dtype=np.int8)
    for one in episodes:
        if one.is_attack:
            touched = (end_s > one.start_s) & (start_s < one.end_s + _TRACES_S)
            found[touched & (found == 0)] = UNSURE
    for one in episodes:
        if one.is_attack:
            shown_s = one.start_s if one.shown_s is None else one.shown_s
            inside = (start_s >= shown_s - bin_s / 2) & (end_s <= one.end_s + bin_s / 2)
            found[inside] = CLASSES.index(one.label)
    return found
