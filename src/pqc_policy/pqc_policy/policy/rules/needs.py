# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The inputs of each rule: declared at the rule, read by engine, check, explanation and docs.

A rule is not asked while one of its inputs is unknown: a missing sensor takes away its own rules,
and no others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from pqc_policy.policy.decision import Proposal
from pqc_policy.policy.inputs import INPUTS
from pqc_policy.policy.situation import Situation

R = TypeVar("R", bound=Callable[..., Any])
_NEEDS = "needs"


@dataclass(frozen=True)
class Needs:
    """The inputs of a rule, by their names in DecisionInput."""

    every: tuple[str, ...] = ()
    one_of: tuple[str, ...] = ()  # of these one is enough
    required: bool = False  # and all of the parameter required_inputs

    def lacking(self, known: Collection[str], required: Collection[str]) -> tuple[str, ...]:
        """Return the unknown inputs without which the rule can't act; empty if it can."""
        wanted = (*self.every, *(name for name in required if self.required))
        lacking = [name for name in dict.fromkeys(wanted) if name not in known]
        if self.one_of and not any(name in known for name in self.one_of):
            lacking += self.one_of
        return tuple(lacking)

    def __str__(self) -> str:
        """Return the inputs in words; empty if the rule needs none."""
        return ", ".join(self._words())

    def _words(self) -> Iterator[str]:
        yield from (INPUTS[name].short for name in self.every)
        if self.one_of:
            *others, last = (INPUTS[name].short for name in self.one_of)
            yield f"{', '.join(others)} or {last}"
        if self.required:
            yield "all required"


_NONE = Needs()
# A rule of a strategy.
Rule = Callable[[Situation], Proposal | None]


def needs(*every: str, one_of: tuple[str, ...] = (), required: bool = False) -> Callable[[R], R]:
    """Declare the inputs of a rule; one without a declaration needs none."""

    def declared(rule: R) -> R:
        setattr(rule, _NEEDS, Needs(every, one_of, required))
        return rule

    return declared


def needs_of(rule: Callable[..., Any]) -> Needs:
    """Return the inputs of a rule."""
    found = getattr(rule, _NEEDS, _NONE)
    return found if isinstance(found, Needs) else _NONE
