# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The default strategy. docs/policy.md has, for each of its wishes, what keeps it."""

from __future__ import annotations

from pqc_policy.policy.strategies.strategy import Strategy
from pqc_policy.policy.wishes.attack import attack
from pqc_policy.policy.wishes.fleet import fleet
from pqc_policy.policy.wishes.rekey import rekey
from pqc_policy.policy.wishes.upgrade import upgrade

TELEMETRY_AWARE = Strategy((attack, fleet, rekey, upgrade))
