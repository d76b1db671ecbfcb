# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the traffic is unlike the data that a model was trained on.

The statistic is, of each feature, the share of the newest bins in which it is outside the range of
the training data; the largest share counts. It lies between 0 and 1 however far a value is outside,
so that a moment without measure changes it by one bin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Drift:
    """The feature that is outside its range most often."""

    share: float  # of the bins in which it is known, 0 to 1
    feature: int  # its place in FEATURES


def drift(
    rows: NDArray[np.float32], low: NDArray[np.float32], high: NDArray[np.float32], least: int
) -> Drift | None:
    """Return the drift of bins (shape (N, F), NaN unknown) from the ranges (shape (F,) each).

    None if no feature is known in `least` of them.
    """
    known = np.count_nonzero(~np.isnan(rows), axis=0)
    outside = np.count_nonzero((rows < low) | (rows > high), axis=0)
    judged = known >= least
    if not judged.any():
        return None
    shares = np.where(judged, outside / np.maximum(known, 1), 0.0)
    feature = int(shares.argmax())
    return Drift(float(shares[feature]), feature)
