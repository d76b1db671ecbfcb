# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Mean, extremes and spread of samples."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, pstdev
from typing import Any


def sampled(values: Sequence[float]) -> dict[str, Any]:
    """Return the members of the schema's `sampled`."""
    if not values:
        return {"count": 0, "mean": None, "min": None, "max": None, "stddev": None}
    return {
        "count": len(values),
        "mean": fmean(values),
        "min": min(values),
        "max": max(values),
        "stddev": pstdev(values),
    }
