# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The strategy that keeps its suite and renews keys by their age."""

from __future__ import annotations

from pqc_policy.policy.strategies.strategy import Strategy
from pqc_policy.policy.wishes.rekey import rekey

STATIC = Strategy((rekey,))
