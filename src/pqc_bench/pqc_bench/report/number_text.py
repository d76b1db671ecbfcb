# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers as text."""

from __future__ import annotations

import math


def short(value: float) -> str:
    """Return a number with three significant digits."""
    if value == 0.0:
        return "0"
    size = abs(value)
    if size >= 999.5:
        return f"{value:,.0f}"
    digits = max(0, 2 - math.floor(math.log10(size) + 1e-9))
    if digits > 6:
        return f"{value:.1e}"
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def factor_words(ratio: float) -> str:
    """Return "a factor of …" for a ratio from 1 on; empty if it shows no difference."""
    return f"a factor of {short(ratio)}" if short(ratio) != "1" else ""


def span(low: float, high: float, dash: str) -> str:
    """Return an interval as text; a dash would look like the sign of a negative number."""
    return f"{short(low)}{' to ' if min(low, high) < 0.0 else dash}{short(high)}"
