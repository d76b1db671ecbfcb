# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A guard or a wish, with all that engine, timers, explanation, tests and documents read of it.

A rule is not asked while one of its inputs is unknown: a missing sensor takes away its own rules,
and no others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from pqc_policy.foreign_fault import sentence
from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.inputs import INPUTS
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import find_suite
from pqc_policy.policy.wording import listed

_PACKAGE = "pqc_policy."
Propose = Callable[[Situation], Proposal | None]
Condition = Callable[[Situation], bool]
Awaits = Callable[[Situation], Iterator[str]]


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
        words = [INPUTS[name].short for name in self.every]
        if self.one_of:
            words.append(listed((INPUTS[name].short for name in self.one_of), "or"))
        return ", ".join([*words, *(["all required"] if self.required else [])])


def _nothing(_: Situation) -> Iterator[str]:
    yield from ()


@dataclass(frozen=True)
class Rule:
    """A function of the situation that proposes something or nothing, and how to speak of it."""

    name: str
    propose: Propose
    sentence: str  # what it does
    needs: Needs = Needs()
    numbers: tuple[str, ...] = ()  # the values of PolicyConfig that it compares with
    awaits: Awaits = _nothing  # yields what it waits for, each as a part of a sentence
    lasting: Condition | None = None  # Situation.lasted_s(name) is how long this has been true

    def __call__(self, s: Situation) -> Proposal | None:
        """Return what the rule proposes, with its name; None for nothing."""
        proposal = self.propose(s)
        return proposal.by(self.name) if proposal is not None else None

    @property
    def foreign(self) -> bool:
        return not self.propose.__module__.startswith(_PACKAGE)

    def contained(self) -> Rule:
        """Return a rule whose failure is a HOLD, and which proposes nothing that is forbidden."""

        def asked(s: Situation) -> Proposal | None:
            try:
                proposal = self.propose(s)
            except Exception as fault:  # whatever a foreign package raises
                return self._failed(sentence(fault))
            if proposal is None:
                return None
            if not isinstance(proposal, Proposal):
                return self._failed(f"it returns {type(proposal).__name__}, which is no Proposal.")
            if proposal.target is None:
                return proposal
            suite = find_suite(proposal.target)
            if suite is None or not s.order.may_choose(suite, s.barred):
                return self._failed(f"it proposes {proposal.target}, which may not be chosen.")
            return proposal

        def awaits(_: Situation) -> Iterator[str]:
            yield f"{self.name} may choose otherwise in each second"

        told = awaits if self.awaits is _nothing else self.awaits
        return replace(self, propose=asked, awaits=told)

    def _failed(self, why: str) -> Proposal:
        return Proposal(Action.HOLD, f"The rule {self.name} fails: {why}")


def rule(
    *every: str,
    one_of: tuple[str, ...] = (),
    required: bool = False,
    numbers: tuple[str, ...] = (),
    awaits: Awaits = _nothing,
    lasting: Condition | None = None,
) -> Callable[[Propose], Rule]:
    """Make a rule of a function, whose docstring says in its first line what the rule does.

    `every` and `one_of` name the inputs that it needs; the other arguments are fields of Rule.
    """

    def made(propose: Propose) -> Rule:
        told = (propose.__doc__ or propose.__name__).splitlines()[0]
        needs = Needs(every, one_of, required)
        return Rule(propose.__name__, propose, told, needs, numbers, awaits, lasting)

    return made
