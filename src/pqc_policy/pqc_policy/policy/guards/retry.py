# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The guard that holds a proposal for a while after a rekey to its suite has failed."""

from __future__ import annotations

from pqc_policy.policy.decision import RETRY, Action, HoldReason, Proposal
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.wording import apart

_MOST_DOUBLINGS = 20


def retry(s: Situation, proposal: Proposal, target: str) -> HoldReason | None:
    """Wait after a failure, longer after each further one in a row; not in an emergency."""
    failed = s.state.failed
    if failed is None or failed.suite != target:
        return None
    urgent = proposal.action is Action.DOWN_TO_LIGHTEST
    doublings = 0 if urgent else min(failed.in_a_row - 1, _MOST_DOUBLINGS)
    wait_s = min(s.config.retry_s * 2**doublings, s.config.retry_most_s)
    if s.now_s - failed.at_s >= wait_s:
        return None
    since, limit = apart(s.now_s - failed.at_s, wait_s, 0)
    return HoldReason(
        RETRY,
        f"a rekey to {target} failed {since} s ago, less than {limit} s",
        failed.at_s + wait_s,
    )
