# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What an adversary who may drop, delay and block anything can reach at most."""

from __future__ import annotations

from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.renewals import LATEST_INTERVALS, overdue
from pqc_policy.policy.strategies import find_strategy


def longest_lockout_s(config: PolicyConfig) -> float:
    """Return the longest time until keys are renewed, once the link works again.

    A full window of the limit of rekeys, then the interval of renewals; or, which is shorter by
    default, a request whose answer was lost, the longest wait for a retry, and the interval.
    """
    interval_s = config.rekey_interval_s.ml_kem
    if overdue in find_strategy(config.strategy).rules:
        interval_s *= LATEST_INTERVALS
    waits_s = max(config.rekey_window_s, config.pending_s + config.retry_most_s)
    return waits_s + interval_s
