# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Alarms from a series of scores: when they begin and end, which are false, and what they miss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pqc_policy.sensing.detectors.advisor import AdvisorConfig

from pqc_learning.data.episodes import Episode
from pqc_learning.data.recording import Recorded

_CONFIG = AdvisorConfig()
RAISE_BINS, CLEAR_BINS = _CONFIG.raise_bins, _CONFIG.clear_bins
SUSPICIOUS = _CONFIG.suspicious_score / _CONFIG.attack_score
_ATTACK = 2  # the level of a verdict; 1 is suspicious
# So long after an attack an alarm is not false yet.
GRACE_S = 15.0
# A false alarm that does not end counts again after so long.
_AGAIN_S = 60.0


@dataclass(frozen=True, slots=True)
class Detection:
    """The outcome for one attack."""

    link: str
    label: str
    kind: str
    delay_s: float | None  # from begin of the attack to the alarm; None: missed


@dataclass(frozen=True)
class Account:
    """The alarms of a detector in one flight."""

    detections: tuple[Detection, ...]
    false_at_s: tuple[float, ...]  # when the false alarms began
    normal_s: float  # time in which an alarm is false

    @property
    def false_alarms(self) -> int:
        return len(self.false_at_s)


def alarmed(
    scores: NDArray[np.float64], threshold: float, suspicious: float = SUSPICIOUS
) -> NDArray[np.bool_]:
    """Return of each bin whether an alarm is raised, as by an advisor with that attack_score.

    Traffic is suspicious from a share of the threshold on, that of the default parameters unless
    another is given: suspicious bins count among the bins in a row.
    """
    states = np.zeros(len(scores), dtype=bool)
    if not (scores >= threshold).any():
        return states
    wanted = (scores >= suspicious * threshold).astype(int) + (scores >= threshold)
    level, worse, better = 0, 0, 0
    for index, one in enumerate(wanted.tolist()):
        worse = worse + 1 if one > level else 0
        better = better + 1 if one < level else 0
        if worse >= RAISE_BINS or better >= CLEAR_BINS:
            level, worse, better = max(one, level - 1), 0, 0
        states[index] = level == _ATTACK
    return states


def account(flight: Recorded, states: NDArray[np.bool_]) -> Account:
    attacks = [one for one in flight.episodes if one.is_attack]
    known_s = flight.known_s
    detections = []
    excused = np.zeros(len(states), dtype=bool)
    for one in attacks:
        during = (known_s >= one.start_s) & (known_s <= one.end_s + 2.0)
        excused |= (known_s >= one.start_s) & (known_s <= one.end_s + GRACE_S)
        detections.append(
            Detection(flight.profile, one.label, one.kind, _delay(one, known_s, during & states))
        )
    return Account(tuple(detections), _false(known_s, states, excused), _normal_s(flight, attacks))


def _delay(
    attack: Episode, known_s: NDArray[np.float64], alarms: NDArray[np.bool_]
) -> float | None:
    found = np.flatnonzero(alarms)
    return float(known_s[found[0]] - attack.start_s) if len(found) else None


def _false(
    known_s: NDArray[np.float64], states: NDArray[np.bool_], excused: NDArray[np.bool_]
) -> tuple[float, ...]:
    if not states.any():
        return ()
    found, counted_s, before = [], -np.inf, False
    for at_s, raised, pardoned in zip(
        known_s.tolist(), states.tolist(), excused.tolist(), strict=True
    ):
        if raised and not pardoned and (not before or at_s - counted_s >= _AGAIN_S):
            found.append(at_s)
            counted_s = at_s
        before = raised
        if raised and pardoned:
            counted_s = at_s
    return tuple(found)


def _normal_s(flight: Recorded, attacks: Sequence[Episode]) -> float:
    spent_s = sum(min(one.end_s + GRACE_S, flight.seconds) - one.start_s for one in attacks)
    return max(flight.seconds - spent_s, 0.0)


def false_alarms_per_hour(accounts: Sequence[Account]) -> float:
    hours = normal_hours(accounts)
    return sum(one.false_alarms for one in accounts) / hours if hours else 0.0


def normal_hours(accounts: Sequence[Account]) -> float:
    """Return the hours in which an alarm is false."""
    return sum(one.normal_s for one in accounts) / 3600.0


def threshold_for(
    flights: Sequence[Recorded],
    scores: Sequence[NDArray[np.float64]],
    most_per_hour: float,
    suspicious: float = SUSPICIOUS,
) -> float:
    """Return the lowest score whose alarms are false at most so often in an hour."""
    low, high = 0.0, 1.0
    for _ in range(14):
        middle = (low + high) / 2.0
        accounts = [
            account(flight, alarmed(one, middle, suspicious))
            for flight, one in zip(flights, scores, strict=True)
        ]
        if false_alarms_per_hour(accounts) <= most_per_hour:
            high = middle
        else:
            low = middle
    return high
