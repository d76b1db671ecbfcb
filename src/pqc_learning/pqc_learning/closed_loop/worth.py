# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The reward of a second of flight: R = w_sec * S - w_lat * L - w_pwr * P, after the papers.

The weights are those of the phase of the mission; no rule decides by them. Each score is from 0 to
1, so that R is from -1 to 1. The training of an agent and the comparison of strategies read it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pqc_policy.policy.inputs import Phase
from pqc_policy.policy.suites import LEVELS, Suite

# Keys of this age count half as much as fresh ones.
HALF_FRESH_S = 300.0


@dataclass(frozen=True)
class Weights:
    """What the three scores count in a phase."""

    security: float
    latency: float
    power: float


WEIGHTS: Mapping[Phase, Weights] = {
    Phase.ON_GROUND: Weights(0.6, 0.1, 0.3),
    Phase.TAKE_OFF: Weights(0.2, 0.5, 0.3),
    Phase.CLIMB: Weights(0.3, 0.3, 0.4),
    Phase.TRANSIT: Weights(0.4, 0.3, 0.3),
    Phase.HOVER: Weights(0.5, 0.2, 0.3),
    Phase.LANDING: Weights(0.2, 0.6, 0.2),
}
# A drone that does not tell its phase has these.
_UNKNOWN = Weights(0.4, 0.3, 0.3)


def weights_of(phase: Phase | None) -> Weights:
    return _UNKNOWN if phase is None else WEIGHTS[phase]


def security(suite: Suite | None, keys_s: float, full_keys_s: float) -> float:
    """Return S: the share of level 5, times how fresh the keys are; 0 without a session.

    A ratchet makes keys from the ones before: whoever has these can follow it. So the age of the
    newest keys and that of the newest ones from a full rekey, both in s, count half each.
    """
    if suite is None:
        return 0.0
    fresh = 0.5 * (_freshness(keys_s) + _freshness(full_keys_s))
    return suite.level / LEVELS[-1] * fresh


def _freshness(age_s: float) -> float:
    return float(2.0 ** (-max(age_s, 0.0) / HALF_FRESH_S))


def latency(busy_s: float) -> float:
    """Return L of a second: for how much of it a rekey was under way, or stopped the data."""
    return min(max(busy_s, 0.0), 1.0)


def power(core_s: float) -> float:
    """Return P of a second: what rekeys and cipher took of one core, as a share of a busy one."""
    return min(max(core_s, 0.0), 1.0)


def worth(phase: Weights, security: float, latency: float, power: float) -> float:
    """Return R, with the weights of a phase."""
    return phase.security * security - phase.latency * latency - phase.power * power
