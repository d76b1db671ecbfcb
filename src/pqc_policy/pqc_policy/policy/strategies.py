# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A strategy is a list of rules; the first rule with a proposal decides.

Another strategy, a learned one for instance, is one more entry here and one more name in
`STRATEGY_NAMES`; the reasons to hold apply to it as well.
"""

from __future__ import annotations

from collections.abc import Mapping

from pqc_policy.policy import expert, rules
from pqc_policy.policy.rules import Rule

Strategy = tuple[Rule, ...]

STRATEGIES: Mapping[str, Strategy] = {
    "static": (rules.safety, rules.cooldown, rules.rekey, rules.nominal),
    "telemetry_aware": (
        rules.session,
        rules.emergency,
        rules.blackout,
        rules.cooldown,
        rules.link,
        rules.attack,
        rules.stress,
        rules.safety,
        rules.rekey,
        rules.upgrade,
        rules.nominal,
    ),
    # Table II of the paper, in its order.
    "paper_2025": (
        rules.safety,
        rules.emergency,
        rules.blackout,
        rules.cooldown,
        rules.link,
        rules.stress,
        rules.rekey,
        rules.upgrade,
        rules.nominal,
    ),
    "expert": (
        rules.session,
        rules.emergency,
        rules.blackout,
        rules.cooldown,
        expert.choose,
        rules.nominal,
    ),
}
