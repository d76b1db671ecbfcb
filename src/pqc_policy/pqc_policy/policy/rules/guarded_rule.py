# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A rule of another package: a failure of it is a decision to hold, and does not end the policy."""

from __future__ import annotations

from functools import wraps

from pqc_policy.foreign_fault import sentence
from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.rules.needs import Rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import find_suite


def guarded(rule: Rule) -> Rule:
    """Return the rule with its name and needs; it proposes nothing that may not be chosen."""

    @wraps(rule)
    def asked(s: Situation) -> Proposal | None:
        try:
            proposal = rule(s)
        except Exception as fault:  # whatever a foreign package raises
            return _held(rule, sentence(fault))
        if proposal is None:
            return None
        if not isinstance(proposal, Proposal):
            return _held(rule, f"it returns {type(proposal).__name__}, which is no Proposal.")
        suite = find_suite(proposal.target) if proposal.target is not None else None
        if proposal.target is None or (suite is not None and s.order.may_choose(suite, s.barred)):
            return proposal
        return _held(rule, f"it proposes {proposal.target}, which may not be chosen.")

    return asked


def _held(rule: Rule, why: str) -> Proposal:
    return Proposal(Action.HOLD, rule.__name__, f"The rule {rule.__name__} fails: {why}")
