# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tolerances of a figure against the published one, as docs/benchmarks/data-card.md states them.

Tables are matched by their key columns, figures by the names of their columns in the CSV. A figure
with an interval deviates only if the whole interval does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

EXACT, FACTOR, POINTS, NOT_MORE = "exact", "factor", "points", "not more"


@dataclass(frozen=True)
class Tolerance:
    """The permitted change: none (`exact`), a factor either way, a difference, or no increase.

    `time`: with --relative, the figure is first divided by how much slower the machine is.
    """

    columns: str
    kind: str
    allowed: float = 0.0
    time: bool = False

    def words(self) -> str:
        if self.kind == FACTOR:
            return f"a factor of {self.allowed:g}"
        if self.kind == POINTS:
            return f"a difference of {self.allowed:g}"
        return "no difference" if self.kind == EXACT else "no increase"

    def holds(self, published: float, low: float, high: float) -> bool:
        """Tell whether a figure whose interval is `low` to `high` agrees with the published one."""
        if self.kind == EXACT:
            return low <= published <= high
        if self.kind == NOT_MORE:
            return low <= published
        if self.kind == POINTS:
            return low - self.allowed <= published <= high + self.allowed
        return low <= published * self.allowed and published <= high * self.allowed


# The columns that identify a row, by table; other tables are not compared.
KEYS: dict[str, tuple[str, ...]] = {
    "suites": ("suite",),
    "handshake_by_level": ("level",),
    "handshake_by_family": ("family",),
    "handshake_by_signature": ("signature",),
    "phi": ("suite",),
    "energy": ("suite",),
    "rekey_gaps": ("suite", "scenario", "load", "link"),
    "scenarios": ("metric",),
    "heat": ("family", "scenario"),
    "tier_correlation": ("scenario",),
    "primitives_kems": ("kem",),
    "primitives_signatures": ("signature",),
    "primitives_aeads": ("aead", "text_bytes"),
    "regression": (),
}
# The first that matches a column holds. Extremes and tails of a shared machine vary most.
TOLERANCES = (
    Tolerance(r".*bytes", EXACT),
    Tolerance(r"cells flagged|lost", NOT_MORE),
    Tolerance(r"level|suite", EXACT),
    Tolerance(r".*loss.*percent|loss \(%\)|mean loss \(%\)", POINTS, 0.1),
    Tolerance(r"r|r_log|r_squared", POINTS, 0.2),
    Tolerance(r"[abc]", POINTS, 0.5),
    # Waiting for a datagram or a processor, which faster cryptography does not shorten.
    Tolerance(r".*(gap|p99).*_ms|median p99 .*\(ms\)", FACTOR, 5.0),
    Tolerance(r".*(p95|max|most).*_(ms|us)|p95 .*\(ms\)", FACTOR, 5.0, time=True),
    Tolerance(r".*_(ms|us|us_per_packet)|.*\((ms|µs)\)", FACTOR, 2.0, time=True),
    Tolerance(r"(phi|.*_phi).*percent", FACTOR, 2.0, time=True),
    Tolerance(r"(machine_cpu|foreign_cpu).*_percent|.*CPU.*\(%\)", POINTS, 15.0),
)
# Counts that depend on --repeat, and what only describes a machine or a row.
UNCOMPARED = re.compile(
    r"source|n|rank|least_samples|samples|power|spread|.*_(j|mj|w|c)|.*temperature.*|change.*|"
    r".*_change_.*|gap_ratio|other_percent|flight_percent|.*_low(_\w+)?|.*_high(_\w+)?|"
    r"suites completed"
)


def tolerance_of(column: str) -> Tolerance | None:
    """Return the tolerance of a column; None if it is not compared."""
    if not compared(column):
        return None
    return next((one for one in TOLERANCES if re.fullmatch(one.columns, column)), None)


def compared(column: str) -> bool:
    """Return whether a column holds figures that may be compared."""
    return UNCOMPARED.fullmatch(column) is None
