# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A fleet to plan for."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pqc_policy.policy.suites import LEVELS


@dataclass(frozen=True)
class Fleet:
    """The requirements of a fleet; without `link_kbit_s` the link is that of the run."""

    name: str
    battery_wh: float
    minutes: float
    level: int
    rekey_s: float
    link_kbit_s: float | None = None
    round_trip_ms: float = 0.0


def read_fleet(text: str) -> Fleet:
    """Return the fleet in NAME,BATTERY_WH,MINUTES,LEVEL,REKEY_S,KBIT_S,ROUND_TRIP_MS.

    ValueError with a sentence if the text is anything else.
    """
    name, *words = text.split(",")
    try:
        figures = [float(word) for word in words]
        battery_wh, minutes, level, rekey_s, kbit_s, round_trip_ms = figures
    except ValueError as error:
        raise ValueError(f"'{text}' is not a name and six numbers with commas") from error
    above_zero = min(battery_wh, minutes, rekey_s, kbit_s) > 0 <= round_trip_ms
    if not (level in LEVELS and above_zero and all(map(math.isfinite, figures))):
        raise ValueError(f"'{text}' has a level other than 1, 3 and 5 or a figure out of range")
    return Fleet(name, battery_wh, minutes, int(level), rekey_s, kbit_s, round_trip_ms)
