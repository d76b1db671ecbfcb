# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which features stand out in the newest bins, in words, beside what was usual in this flight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pqc_policy.sensing.traffic.feature_words import compared
from pqc_policy.sensing.traffic.features import FEATURES

# Bins that are compared, and how many there must be to compare them with.
_NOW, _LEAST_BEFORE = 5, 20
# Robust standard deviations that stand out, and how many features are named.
_STANDS_OUT, _MOST = 3.0, 3
_SIGMA_OF_MEDIAN = 1.4826
# A deviation of less than this share of the usual range is none.
_LEAST_SHARE = 0.02
_LEAST_SPREAD = 1e-3


def standing_out(
    rows: NDArray[np.float32], low: NDArray[np.float32], high: NDArray[np.float32]
) -> str:
    """Return the features of the newest bins that differ most from the median of those before.

    `rows` has shape (N, F), oldest first, NaN unknown; `low` and `high`, shape (F,), are the usual
    ranges, by which a flight without any noise is scaled.
    """
    if len(rows) < _NOW + _LEAST_BEFORE:
        return "the flight is too short to compare with"
    now, before = rows[-_NOW:], rows[:-_NOW]
    able = (np.count_nonzero(~np.isnan(now), axis=0) > 0) & (
        np.count_nonzero(~np.isnan(before), axis=0) >= _LEAST_BEFORE
    )
    places = np.flatnonzero(able)
    if not places.size:
        return "no value can be compared"
    mean = np.nanmean(now[:, places], axis=0)
    usual = np.nanmedian(before[:, places], axis=0)
    spread = _SIGMA_OF_MEDIAN * np.nanmedian(np.abs(before[:, places] - usual), axis=0)
    width = (high - low)[places]
    least = np.where(np.isfinite(width), _LEAST_SHARE * width, 0.0)
    deviation = np.abs(mean - usual) / np.maximum(np.maximum(spread, least), _LEAST_SPREAD)
    order = sorted(range(len(places)), key=lambda one: (-deviation[one], one))
    named = [
        compared(FEATURES[places[one]], float(mean[one]), float(usual[one]))
        for one in order[:_MOST]
        if deviation[one] >= _STANDS_OUT
    ]
    return "; ".join(named) or "no single value stands out"
