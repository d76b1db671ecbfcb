# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Updates what the policy remembers of a mission: phase, mode, ratchets."""

from __future__ import annotations

from dataclasses import replace

from pqc_policy.policy.inputs import Phase
from pqc_policy.policy.phases import rules_of
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.state import PolicyState


def update(s: Situation, state: PolicyState) -> PolicyState:
    """Return the state after newest phase, mode and armed state; unknown ones change nothing."""
    now_s, stale_s = s.now_s, s.config.stale_s
    armed = s.inputs.armed.fresh(stale_s)
    used_up = state.ratchets_in_a_row >= s.config.event_ratchets
    used_s = state.ratchets_used_s if state.ratchets_used_s is not None else now_s
    state = state.updated(ratchets_used_s=used_s if used_up else None)
    mode, phase = s.inputs.mode.fresh(stale_s), s.inputs.phase.fresh(stale_s)
    if mode is not None and mode != state.mode:
        switched = armed and state.mode is not None
        state = replace(
            state, mode=mode, mission_changed_s=now_s if switched else state.mission_changed_s
        )
    if phase is None or phase is state.phase:
        return state
    return _entered(state, phase, now_s)


def _entered(state: PolicyState, phase: Phase, now_s: float) -> PolicyState:
    before, rules = state.phase, rules_of(phase)
    if before not in (None, Phase.ON_GROUND) and phase is Phase.ON_GROUND:
        state = replace(state, landed_s=now_s)
    hovers = phase is Phase.HOVER and before is not None
    climbs = phase is Phase.CLIMB and before in (Phase.TRANSIT, Phase.HOVER)
    none_since_s, slow_since_s = state.no_renewals_since_s, state.no_slow_renewals_since_s
    return replace(
        state,
        phase=phase,
        mission_changed_s=now_s if hovers or climbs else state.mission_changed_s,
        no_renewals_since_s=None if rules.routine else none_since_s or now_s,
        no_slow_renewals_since_s=None if rules.heavy else slow_since_s or now_s,
    )
