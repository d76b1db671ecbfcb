# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The strategies rl and hybrid, in which a trained agent takes part."""

from __future__ import annotations

from collections.abc import Callable

from pqc_policy.policy.strategies.strategy import Strategy
from pqc_policy.policy.strategies.telemetry_aware import TELEMETRY_AWARE
from pqc_policy.policy.wishes.attack import attack
from pqc_policy.policy.wishes.fleet import fleet
from pqc_policy.policy.wishes.rekey import overdue
from pqc_policy.policy.wishes.upgrade import upgrade

from pqc_learning.agent.rules import agent_rule, leeway_rule
from pqc_learning.agent.table import Agent


def rl_of(agent: Agent) -> Strategy:
    """Return the strategy in which an agent decides what is no matter of rules.

    Those are emergencies, attacks, and keys that are overdue.
    """
    return Strategy((attack, fleet, overdue, agent_rule(agent)))


def hybrid_of(agent: Agent) -> Strategy:
    """Return the strategy in which an agent decides where no rule acts, and in place of upgrade."""
    leeway = leeway_rule(agent)
    known = TELEMETRY_AWARE.wishes
    return Strategy(tuple(leeway if wish is upgrade else wish for wish in known))


LEARNED: dict[str, Callable[[Agent], Strategy]] = {"rl": rl_of, "hybrid": hybrid_of}
