# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The table of the phases of a mission, and what each allows.

Take-off and landing get no routine rekey.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pqc_policy.policy.inputs import Phase


@dataclass(frozen=True)
class PhaseRules:
    """The renewals that a phase allows, and its weights.

    No rule decides by the weights. They are those of the reward (worth.py): an agent was trained by
    it, the evaluation compares strategies by it, and `explain` names them.
    """

    routine: bool  # renewals of the keys
    # Weights
    security: float
    latency: float
    power: float


PHASES: Mapping[Phase, PhaseRules] = {
    Phase.ON_GROUND: PhaseRules(True, security=0.6, latency=0.1, power=0.3),
    Phase.TAKE_OFF: PhaseRules(False, security=0.2, latency=0.5, power=0.3),
    Phase.CLIMB: PhaseRules(True, security=0.3, latency=0.3, power=0.4),
    Phase.TRANSIT: PhaseRules(True, security=0.4, latency=0.3, power=0.3),
    Phase.HOVER: PhaseRules(True, security=0.5, latency=0.2, power=0.3),
    Phase.LANDING: PhaseRules(False, security=0.2, latency=0.6, power=0.2),
}
# A drone that does not tell its phase has these.
UNKNOWN = PhaseRules(True, security=0.4, latency=0.3, power=0.3)


def rules_of(phase: Phase | None) -> PhaseRules:
    """Return what a phase allows; an unknown one forbids nothing."""
    return UNKNOWN if phase is None else PHASES[phase]
