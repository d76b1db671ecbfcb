# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Percentiles of a list of values, if there are enough values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean

# With fewer values a percentile would be the largest value.
_NEEDED = {50: 1, 95: 20, 99: 100}


def percentile(ordered: Sequence[float], percent: int) -> float | None:
    """Return a percentile of ordered values; None if there are too few of them."""
    if len(ordered) < _NEEDED[percent]:
        return None
    return ordered[math.ceil(percent / 100 * len(ordered)) - 1]


def distribution(values_ms: Sequence[float]) -> dict[str, float | int | None]:
    """Return the members of the schema's `distribution`, of values in the order they came in."""
    ordered = sorted(values_ms)
    steps = [abs(after - before) for before, after in pairwise(values_ms)]
    return {
        "count": len(ordered),
        "min_ms": ordered[0] if ordered else None,
        "mean_ms": fmean(ordered) if ordered else None,
        "p50_ms": percentile(ordered, 50),
        "p95_ms": percentile(ordered, 95),
        "p99_ms": percentile(ordered, 99),
        "max_ms": ordered[-1] if ordered else None,
        "jitter_ms": fmean(steps) if steps else None,
    }
