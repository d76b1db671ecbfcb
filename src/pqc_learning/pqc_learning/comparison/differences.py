# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Paired differences of a result, as tables and verdicts use them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

BASELINE = "static_default"
LESS, MORE = -1, 1


@dataclass(frozen=True)
class Measure:
    """A measure compared in pairs, in words; `better` is LESS or MORE, and 0 if neither is.

    A difference of at most `margin` makes none in practice.
    """

    heading: str
    better: int
    margin: float = 0.0


MEASURES = {
    # The goals for it are whole percents, and paired flights differ surely by far less.
    "exposed_a4": Measure("read after a theft (share)", LESS, margin=0.01),
    "window_s": Measure("mean window (s)", LESS),
    "lost_to_rekeys": Measure("datagrams lost", LESS),
    "delayed": Measure("commands delayed", LESS),
    "seconds_below_level_3": Measure("below level 3 (s)", LESS),
    "emergencies_met": Measure("emergencies met", MORE),
    # The price, and what follows from how often keys are renewed.
    "air_kb": Measure("air (kB)", 0),
    "energy_j": Measure("energy (J)", 0),
    "rekeys_failed": Measure("rekeys failed", 0),
}
_MARGIN = {name: measure.margin for name, measure in MEASURES.items()}


@dataclass(frozen=True)
class Difference:
    """A mean of paired differences, with both ends of its interval of 95 %."""

    mean: float
    low: float
    high: float
    margin: float = 0.0

    @property
    def side(self) -> int:
        """LESS or MORE if the whole interval is on that side of zero and its margin, else 0."""
        return MORE if self.low > self.margin else LESS if self.high < -self.margin else 0

    def __neg__(self) -> Difference:
        return Difference(-self.mean, -self.high, -self.low, self.margin)


def three_digits(value: float, sign: str = "") -> str:
    """Return a number with three significant digits; `sign` is that of format()."""
    if value == 0.0:
        return "0"
    return f"{value:{sign},.0f}" if abs(value) >= 1000.0 else f"{value:{sign}.3g}"


def differences(
    pairs: Mapping[str, Mapping[str, Any]], baseline: str
) -> dict[str, dict[str, Difference]]:
    """Return the measures of each strategy less those of `baseline`; `pairs` are a result's."""
    found: dict[str, dict[str, Difference]] = {}
    for pair, measures in pairs.items():
        one, _, other = pair.partition(" - ")
        if baseline in (one, other):
            own = {
                name: Difference(**measure, margin=_MARGIN.get(name, 0.0))
                for name, measure in measures.items()
            }
            found[other if one == baseline else one] = (
                {name: -measure for name, measure in own.items()} if one == baseline else own
            )
    return found
