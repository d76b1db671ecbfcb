# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A strategy is a list of rows; the first one that proposes something wins.

Another strategy, a learned one for instance, is one more entry here: it ends with its own row in
place of those of the table, and the gates hold for it as well.
"""

from __future__ import annotations

from collections.abc import Mapping

from pqc_policy.policy import expert, rows
from pqc_policy.policy.rows import Row

Strategy = tuple[Row, ...]

STRATEGIES: Mapping[str, Strategy] = {
    "static": (rows.safety, rows.cooldown, rows.rekey, rows.nominal),
    "telemetry_aware": (
        rows.safety,
        rows.emergency,
        rows.blackout,
        rows.cooldown,
        rows.link,
        rows.stress,
        rows.rekey,
        rows.upgrade,
        rows.nominal,
    ),
    "expert": (
        rows.safety,
        rows.emergency,
        rows.blackout,
        rows.cooldown,
        expert.choose,
        rows.nominal,
    ),
}
