# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Strategy `layered`: the most protection that link, battery and computer leave room for."""

from __future__ import annotations

from pqc_policy.policy.strategies.strategy import Strategy
from pqc_policy.policy.wishes.attack import attack
from pqc_policy.policy.wishes.fleet import fleet
from pqc_policy.policy.wishes.home import back
from pqc_policy.policy.wishes.landing import landing
from pqc_policy.policy.wishes.layer import layer
from pqc_policy.policy.wishes.refresh import refresh
from pqc_policy.policy.wishes.renew import renew

# The budget of airtime limits rekeys, not their number.
LAYERED = Strategy(
    (back, attack, fleet, landing, layer, refresh, renew),
    {"rekey_limit": 100, "rekey_reserve": 20},
)
