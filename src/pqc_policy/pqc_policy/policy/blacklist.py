# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Suites that may not be chosen for a while; at least one suite is always left."""

from __future__ import annotations

from dataclasses import replace

from pqc_policy.policy.state import PolicyState
from pqc_policy.policy.suite_order import SuiteOrder

_NOTHING: frozenset[str] = frozenset()


def barred_suites(
    state: PolicyState, order: SuiteOrder, by_tunnel: frozenset[str]
) -> frozenset[str]:
    """Return the suites that may not be chosen now.

    If the tunnel's blacklist and the policy's own leave no suite, only the tunnel's counts; if that
    leaves none either, none counts.
    """
    own = frozenset(suite for suite, _ in state.blacklist)
    if not own and not by_tunnel:
        return _NOTHING
    for barred in (own | by_tunnel if own else by_tunnel, by_tunnel):
        if order.lightest(barred) is not None:
            return barred
    return _NOTHING


def blacklist(
    state: PolicyState, order: SuiteOrder, by_tunnel: frozenset[str], suite: str, until_s: float
) -> PolicyState | None:
    """Return the state with a suite blacklisted; None if no other suite could be chosen."""
    others = tuple(entry for entry in state.blacklist if entry[0] != suite)
    barred = frozenset(entry[0] for entry in others) | by_tunnel | {suite}
    if order.lightest(barred) is None:
        return None
    return replace(state, blacklist=(*others, (suite, until_s)))


def pruned(state: PolicyState, now_s: float) -> PolicyState:
    if all(until_s > now_s for _, until_s in state.blacklist):
        return state
    left = tuple(entry for entry in state.blacklist if entry[1] > now_s)
    return replace(state, blacklist=left)
