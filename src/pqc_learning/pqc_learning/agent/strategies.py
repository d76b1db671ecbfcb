# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The strategies rl and hybrid, in which a trained agent takes part."""

from __future__ import annotations

from collections.abc import Callable

from pqc_policy.policy import renewals, rules
from pqc_policy.policy.operator import operator
from pqc_policy.policy.strategies import STRATEGIES, Strategy

from pqc_learning.agent.rules import agent_rule, leeway_rule
from pqc_learning.agent.table import Agent


def rl_of(agent: Agent) -> Strategy:
    """Return the strategy in which an agent decides what is no matter of rules.

    Those are emergencies, events, and keys that are overdue.
    """
    return Strategy(
        (
            rules.session,
            rules.emergency,
            rules.blackout,
            rules.cooldown,
            operator,
            renewals.event,
            renewals.fleet,
            renewals.overdue,
            agent_rule(agent),
            rules.safety,
            rules.nominal,
        )
    )


def hybrid_of(agent: Agent) -> Strategy:
    """Return the strategy in which an agent decides where no rule acts, and in place of upgrade."""
    leeway = leeway_rule(agent)
    known = STRATEGIES["telemetry_aware"].rules
    return Strategy(tuple(leeway if rule is rules.upgrade else rule for rule in known))


LEARNED: dict[str, Callable[[Agent], Strategy]] = {"rl": rl_of, "hybrid": hybrid_of}
