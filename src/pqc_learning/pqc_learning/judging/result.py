# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The comparison of detectors: rates, delays, false alarms, their curves, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import numpy as np

from pqc_learning.data.dataset import JUDGING, VERSIONS
from pqc_learning.data.episodes import ATTACKS
from pqc_learning.data.recording import BIN_S
from pqc_learning.intervals import by_flight, of_median, poisson, wilson
from pqc_learning.judging.alarms import (
    Account,
    Detection,
    account,
    alarmed,
    false_alarms_per_hour,
    normal_hours,
    threshold_for,
)
from pqc_learning.judging.flown import Flown

SOON_S = 6.0
MOST_FALSE_PER_HOUR = 1.0
MUST_BE_FOUND = ("volumetric", "jamming", "protocol")
_SEED = 1  # seed of the resampling of flights
_CURVE = 24  # points


def result(
    flown: Sequence[Flown], names: Sequence[str], seed: int, memory_kib: Callable[[str], int]
) -> dict[str, Any]:
    return {
        "generator": f"{JUDGING} {VERSIONS[JUDGING]}",
        "seed": seed,
        "flights": len(flown),
        "hours": sum(one.flight.seconds for one in flown) / 3600.0,
        "soon_s": SOON_S,
        "detectors": {name: _of(name, flown) | {"memory_kib": memory_kib(name)} for name in names},
    }


def live_result(flown: Sequence[Flown], names: Sequence[str]) -> dict[str, Any]:
    """Return what the detectors did in recordings of the real tunnel, as JSON."""
    return {
        "recordings": [one.flight.profile for one in flown],
        "minutes": sum(one.flight.seconds for one in flown) / 60.0,
        "soon_s": SOON_S,
        "detectors": {name: _of(name, flown) for name in names},
    }


def _of(name: str, flown: Sequence[Flown]) -> dict[str, Any]:
    judged = [one.judged[name] for one in flown]
    accounts = [one.account for one in judged]
    verdicts = sum(len(one.scores) for one in judged)
    per_verdict_s = sum(one.cpu_s for one in judged) / max(verdicts, 1)
    right, named = (sum(one.named_right[part] for one in judged) for part in (0, 1))
    flights, scores = [one.flight for one in flown], [one.scores for one in judged]
    threshold = threshold_for(flights, scores, MOST_FALSE_PER_HOUR)
    at_most_one = [
        account(flight, alarmed(one, threshold))
        for flight, one in zip(flights, scores, strict=True)
    ]
    return {
        "classes": _classes(accounts),
        **_false_alarms(accounts),
        "at_one_false_alarm_per_hour": {"score": threshold, "classes": _classes(at_most_one)},
        "links": _links(flown, name),
        "named_right": right / named if named else None,
        "named_right_interval": by_flight([one.named_right for one in judged], _SEED),
        "roc": _curve(flown, name),
        "cpu_percent": 100.0 * per_verdict_s / BIN_S,
        "cpu_us_per_verdict": 1e6 * per_verdict_s,
    }


def _classes(accounts: Sequence[Account]) -> dict[str, Any]:
    found = [one for each in accounts for one in each.detections]
    return {label: _rate([one for one in found if one.label == label]) for label in ATTACKS}


def _rate(detections: Sequence[Detection]) -> dict[str, Any]:
    delays_s = [one.delay_s for one in detections if one.delay_s is not None]
    soon = sum(delay_s <= SOON_S for delay_s in delays_s)
    count = len(detections)
    return {
        "attacks": count,
        "rate": soon / count if count else None,
        "interval": wilson(soon, count),
        "rate_ever": len(delays_s) / count if count else None,
        "interval_ever": wilson(len(delays_s), count),
        "delay_s": median(delays_s) if delays_s else None,
        "delay_interval_s": of_median(delays_s),
        "detected": len(delays_s),
    }


def _false_alarms(accounts: Sequence[Account]) -> dict[str, Any]:
    count = sum(one.false_alarms for one in accounts)
    return {
        "false_alarms_per_hour": false_alarms_per_hour(accounts),
        "false_alarms_interval": poisson(count, normal_hours(accounts)),
        "false_alarms": count,
        "normal_hours": normal_hours(accounts),
    }


def _links(flown: Sequence[Flown], name: str) -> dict[str, Any]:
    """Return the figures of each link; the rate is that of the attacks that must be found."""
    found: dict[str, Any] = {}
    for link in dict.fromkeys(one.flight.profile for one in flown):
        accounts = [one.judged[name].account for one in flown if one.flight.profile == link]
        attacks = [one for each in accounts for one in each.detections]
        rate = _rate([one for one in attacks if one.label in MUST_BE_FOUND])
        found[link] = rate | _false_alarms(accounts)
    return found


def _curve(flown: Sequence[Flown], name: str) -> list[dict[str, float]]:
    """Return false alarms and rate over thresholds of the score, of attacks that must be found."""
    scores = [one.judged[name].scores for one in flown]
    together = np.concatenate(scores) if scores else np.zeros(1)
    steps = 1.0 - np.geomspace(0.5, 1e-5, _CURVE)
    points = []
    for threshold in np.unique(np.quantile(together, steps)).tolist():
        if threshold <= 0.0:
            continue
        accounts = [
            account(one.flight, alarmed(score, threshold))
            for one, score in zip(flown, scores, strict=True)
        ]
        attacks = [one for each in accounts for one in each.detections]
        rate = _rate([one for one in attacks if one.label in MUST_BE_FOUND])["rate"]
        points.append(
            {
                "score": threshold,
                "false_alarms_per_hour": false_alarms_per_hour(accounts),
                "rate": rate if rate is not None else 0.0,
            }
        )
    return points
