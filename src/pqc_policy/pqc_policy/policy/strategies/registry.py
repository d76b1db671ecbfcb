# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The strategies by their names: those of this package, and those of entry points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from pqc_policy.parameters import ParameterFault
from pqc_policy.plugins import load_plugin
from pqc_policy.policy import guards
from pqc_policy.policy.config import STRATEGY_GROUP, PolicyConfig
from pqc_policy.policy.inputs import INPUTS
from pqc_policy.policy.profile import SHIPPED
from pqc_policy.policy.rule import Rule
from pqc_policy.policy.strategies.expert import EXPERT
from pqc_policy.policy.strategies.layered import LAYERED
from pqc_policy.policy.strategies.paper_2025 import PAPER_2025
from pqc_policy.policy.strategies.static import STATIC
from pqc_policy.policy.strategies.strategy import Strategy
from pqc_policy.policy.strategies.telemetry_aware import TELEMETRY_AWARE

STRATEGIES: Mapping[str, Strategy] = {
    "static": STATIC,
    "layered": LAYERED,
    "telemetry_aware": TELEMETRY_AWARE,
    "paper_2025": PAPER_2025,
    "expert": EXPERT,
}


def find_strategy(name: str) -> Strategy:
    """Return a strategy of this package or of an entry point; raise ParameterFault otherwise."""
    if name in STRATEGIES:
        return STRATEGIES[name]
    strategy = load_plugin(STRATEGY_GROUP, "strategy", name, ParameterFault)
    if not isinstance(strategy, Strategy):
        raise ParameterFault(f"The entry point {name} is no Strategy.")
    return checked(name, strategy)


def checked(name: str, strategy: Strategy) -> Strategy:
    """Return the strategy with every guard, and its own rules contained."""
    unknown = set(strategy.fixed) - {field.name for field in fields(PolicyConfig)}
    if unknown:
        raise ParameterFault(f"The strategy {name} sets {min(unknown)}, which is no parameter.")
    if strategy.profile not in SHIPPED:
        raise ParameterFault(f"The strategy {name} asks for no shipped profile.")
    if not all(isinstance(wish, Rule) for wish in strategy.wishes):
        raise ParameterFault(f"The strategy {name} has a wish that is no rule.")
    own = [wish for wish in strategy.wishes if wish.foreign]
    lacking = {what for wish in own for what in (*wish.needs.every, *wish.needs.one_of)}
    if lacking - set(INPUTS):
        raise ParameterFault(
            f"The strategy {name} needs {min(lacking - set(INPUTS))}, which is no input."
        )
    wishes = tuple(wish.contained() if wish.foreign else wish for wish in strategy.wishes)
    return replace(strategy, wishes=wishes, before=guards.BEFORE, after=guards.AFTER)
