# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A flight of the closed loop that stops wherever an agent has a choice.

The policy is the one that flies, with its rules, limits and hold reasons: what is not open can't be
chosen here either. Between two choices lie one or several seconds; to hold is a choice for HOLD_S,
unless the flight ends before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pqc_policy.policy.decision import Decision
from pqc_policy.policy.state import PolicyState
from pqc_policy.policy.suites import DEFAULT_SUITE, LEVELS, find_suite

from pqc_learning.agent.choice import Choice
from pqc_learning.agent.strategies import LEARNED
from pqc_learning.agent.view import View
from pqc_learning.closed_loop.contestants import Contestant
from pqc_learning.closed_loop.cost_set import CostSet
from pqc_learning.closed_loop.flight_plan import PreparedFlight
from pqc_learning.closed_loop.fly import Flight
from pqc_learning.closed_loop.worth import weights_of

HOLD_S = 5
# A reward in a minute and a half counts 0.4 times as much as one now.
DISCOUNT = 0.99  # factor per second
_CEILING = find_suite(DEFAULT_SUITE)
_BEST_SECURITY = (_CEILING.level if _CEILING is not None else LEVELS[-1]) / LEVELS[-1]
CHOICES = tuple(Choice)


@dataclass(frozen=True)
class Moment:
    """The inputs of an agent when it has a choice, and the choices that are open."""

    second: int
    view: View
    able: tuple[Choice, ...]


@dataclass(frozen=True)
class Passed:
    """The consequences of a choice until the next one."""

    reward: float  # discounted, less the best that the phases allow
    worth: float  # the sum of R
    seconds: int
    then: Moment | None  # None: the flight is over


class _Obedient:
    """An agent that makes the choice that the caller has set."""

    def __init__(self) -> None:
        self.wanted = Choice.HOLD

    def values(self, view: View) -> Mapping[str, float]:
        return {choice: float(choice is self.wanted) for choice in Choice}

    def because(self, view: View, one: str, other: str) -> tuple[tuple[str, float], ...]:
        return ()


class Episode:
    def __init__(
        self, prepared: PreparedFlight, costs: CostSet, strategy: str = "rl", hold_s: int = HOLD_S
    ) -> None:
        """Begin; `first` is the first moment with a choice."""
        self._agent = _Obedient()
        suites = {level: DEFAULT_SUITE for level in LEVELS}
        made = LEARNED[strategy](self._agent)
        self._flight = Flight(prepared, Contestant("agent", strategy, suites, made=made), costs)
        self._seconds, self._hold_s = prepared.seconds, hold_s
        self._second = 0
        self._made: tuple[Decision, PolicyState] | None = None
        self.first = self._pass(0).then

    @property
    def flight(self) -> Flight:
        return self._flight

    def choose(self, choice: Choice) -> Passed:
        """Make a choice at the present moment, and fly until the next one."""
        assert self._made is not None, "the flight is over"
        if choice is not Choice.HOLD:
            self._agent.wanted = choice
            self._made = self._flight.decided(self._second)
            self._agent.wanted = Choice.HOLD
        return self._pass(self._hold_s if choice is Choice.HOLD else 1)

    def _pass(self, least_s: int) -> Passed:
        """Fly for some seconds, and on until there is a choice."""
        outcome = self._flight.outcome
        reward = worth = 0.0
        passed, share = 0, 1.0
        while True:
            if self._made is not None:
                before = outcome.worth
                self._flight.act(self._second, *self._made)
                gained = outcome.worth - before
                worth += gained
                reward += share * (gained - self._best(self._made[0]))
                share *= DISCOUNT
                passed += 1
            self._second += 1
            if self._second >= self._seconds:
                self._made = None
                return Passed(reward, worth, passed, None)
            self._flight.sense(self._second)
            self._made = self._flight.decided(self._second)
            moment = self._moment(self._made[0])
            if moment is not None and passed >= least_s:
                return Passed(reward, worth, passed, moment)

    def _best(self, decision: Decision) -> float:
        """Return what a second of this phase is worth with fresh keys of the ceiling.

        No choice changes the phase: without this part all choices compare as with it, and chance
        spreads the rewards less.
        """
        return weights_of(decision.inputs.phase.value).security * _BEST_SECURITY

    def _moment(self, decision: Decision) -> Moment | None:
        preference = decision.preference
        if preference is None or len(preference.able) < 2:
            return None
        return Moment(self._second, preference.view, tuple(map(Choice, preference.able)))
