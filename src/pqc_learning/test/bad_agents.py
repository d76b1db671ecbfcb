# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Agents that want the worst: a policy must stay within its limits whatever they prefer."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, nan
from random import Random

from pqc_learning.agent.choice import Choice
from pqc_learning.agent.view import View


class BadAgent:
    """They have in common that nothing speaks for their choices."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)
        self._asked = 0

    def values(self, view: View) -> Mapping[str, float]:
        self._asked += 1
        return self.wanted(view)

    def wanted(self, view: View) -> Mapping[str, float]:
        raise NotImplementedError

    def because(self, view: View, one: str, other: str) -> tuple[tuple[str, float], ...]:
        return ()


def _order(*best_first: Choice) -> Mapping[str, float]:
    return {choice: float(-number) for number, choice in enumerate(best_first)}


class AlwaysHeavier(BadAgent):
    """Wants the heaviest suite, and full rekeys."""

    def wanted(self, view: View) -> Mapping[str, float]:
        return _order(Choice.UP, Choice.REKEY, Choice.RATCHET, Choice.HOLD, Choice.DOWN)


class AlwaysLighter(BadAgent):
    """Wants the lightest suite."""

    def wanted(self, view: View) -> Mapping[str, float]:
        return _order(Choice.DOWN, Choice.HOLD, Choice.RATCHET, Choice.REKEY, Choice.UP)


class NeverActs(BadAgent):
    """Wants that nothing happens."""

    def wanted(self, view: View) -> Mapping[str, float]:
        return _order(*Choice)


class Flips(BadAgent):
    """Wants up in one second, down in the next."""

    def wanted(self, view: View) -> Mapping[str, float]:
        ways = (Choice.UP, Choice.DOWN, Choice.REKEY, Choice.RATCHET)
        return _order(*(ways if self._asked % 2 else ways[1:]), Choice.HOLD)


class AtRandom(BadAgent):
    """Wants anything."""

    def wanted(self, view: View) -> Mapping[str, float]:
        return {choice: self._chance.gauss(0.0, 1.0) for choice in Choice}


class NoNumbers(BadAgent):
    """Has values that are none, and wants a suite that does not exist."""

    def wanted(self, view: View) -> Mapping[str, float]:
        values = {choice: self._chance.choice((nan, inf, -inf, 1.0)) for choice in Choice}
        return {**values, "cs-rot13-none-crc32": 1e9}


BAD_AGENTS = (AlwaysHeavier, AlwaysLighter, NeverActs, Flips, AtRandom, NoNumbers)
