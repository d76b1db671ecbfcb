# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Chooses the sequential test of a model on validation flights, by its false alarms and delays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from pqc_policy.sensing.sequential_test import SPAN, SequentialTest

from pqc_learning.data.recording import Recorded
from pqc_learning.judging.alarms import (
    Account,
    Scores,
    account,
    alarmed,
    false_alarms_per_hour,
)

_NEUTRAL = (0.5, 0.73, 0.88)
_MOST = (1.0, 1.5, 2.0, 3.0, 4.0)
_LARGEST = 60.0  # limit of a sum
_STEPS = 9  # of a search: a limit is exact to an eighth
Probabilities = Sequence[NDArray[np.float64]]  # of an attack, of each bin of each flight


@dataclass(frozen=True)
class Tried:
    """A test, and the alarms that it raises."""

    test: SequentialTest
    accounts: list[Account]

    def soon(self, labels: Sequence[str], within_s: float) -> float:
        """Return the share of the attacks of each class detected so soon, their mean."""
        return float(np.mean([soon(self.accounts, label, within_s) for label in labels]))


def soon(accounts: Sequence[Account], label: str, within_s: float) -> float:
    """Return the share of a class's attacks that are detected soon enough."""
    delays_s = [one.delay_s for each in accounts for one in each.detections if one.label == label]
    found = [delay_s is not None and delay_s <= within_s for delay_s in delays_s]
    return sum(found) / len(found) if found else 0.0


def chosen_test(
    flights: Sequence[Recorded],
    attack: Probabilities,
    most_per_hour: float,
    labels: Sequence[str],
    within_s: float,
) -> Tried:
    """Return the test that detects most, of those with at most so many false alarms in an hour."""
    tried = [
        _limited(flights, attack, SequentialTest(neutral, most, _LARGEST), most_per_hour)
        for neutral in _NEUTRAL
        for most in _MOST
    ]
    return max(tried, key=lambda one: one.soon(labels, within_s))


def _limited(
    flights: Sequence[Recorded],
    attack: Probabilities,
    test: SequentialTest,
    most_per_hour: float,
) -> Tried:
    """Return a test with the lowest limit that has few enough false alarms."""
    low, high = 0.0, _LARGEST
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        accounts = _accounts(flights, attack, replace(test, limit=middle))
        if false_alarms_per_hour(accounts) <= most_per_hour:
            high = middle
        else:
            low = middle
    test = replace(test, limit=high)
    return Tried(test, _accounts(flights, attack, test))


def _accounts(
    flights: Sequence[Recorded], attack: Probabilities, test: SequentialTest
) -> list[Account]:
    return [
        account(flight, alarmed(_scores(one, test), 1.0))
        for flight, one in zip(flights, attack, strict=True)
    ]


def _scores(attack: NDArray[np.float64], test: SequentialTest) -> Scores:
    """Return the sums of a flight, as parts of the limit."""
    before = np.zeros(SPAN - 1)
    view = np.lib.stride_tricks.sliding_window_view(np.concatenate((before, attack)), SPAN)
    parts = test.sums(view) / test.limit
    return Scores(parts, parts)
