# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A strategy: a short list of wishes between the guards that all strategies share.

The first rule that proposes something decides. A package of its own may add a strategy by an entry
point; the guards apply to it as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pqc_policy.policy import guards
from pqc_policy.policy.inputs import DecisionInput
from pqc_policy.policy.profile import SHIPPED
from pqc_policy.policy.rule import Condition, Rule


def _everything(inputs: DecisionInput) -> DecisionInput:
    return inputs


@dataclass(frozen=True)
class Strategy:
    """Wishes in their order, and what else the strategy sets."""

    wishes: tuple[Rule, ...]
    fixed: Mapping[str, Any] = field(default_factory=dict)  # values of PolicyConfig that it sets
    profile: str = SHIPPED[0]  # the shipped profile to use where none is configured
    sees: Callable[[DecisionInput], DecisionInput] = _everything  # of the inputs
    before: tuple[Rule, ...] = guards.BEFORE
    after: tuple[Rule, ...] = guards.AFTER

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(dict.fromkeys((*self.before, *self.wishes, *self.after)))

    @cached_property
    def lasting(self) -> Mapping[str, Condition]:
        """The conditions whose duration is measured, by the names of their rules."""
        return {rule.name: rule.lasting for rule in self.rules if rule.lasting is not None}
