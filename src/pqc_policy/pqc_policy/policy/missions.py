# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the policy remembers of a mission: its phase, since when it flies, its ratchets."""

from __future__ import annotations

from dataclasses import replace

from pqc_policy.policy.inputs import Phase
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.state import PolicyState


def update(s: Situation, state: PolicyState) -> PolicyState:
    """Return the state after the newest phase and armed state; unknown ones change nothing."""
    now_s, stale_s = s.now_s, s.config.stale_s
    phase, armed = s.inputs.phase.fresh(stale_s), s.inputs.armed.fresh(stale_s)
    if armed is not None:
        since_s = state.armed_since_s if state.armed_since_s is not None else now_s
        state = state.updated(armed_since_s=since_s if armed else None)
    used_up = state.ratchets_in_a_row >= s.config.event_ratchets
    used_s = state.ratchets_used_s if state.ratchets_used_s is not None else now_s
    state = state.updated(ratchets_used_s=used_s if used_up else None)
    if phase is None or phase is state.phase:
        return state
    before = state.phase
    if before not in (None, Phase.ON_GROUND) and phase is Phase.ON_GROUND:
        state = replace(state, landed_s=now_s)
    hovers = phase is Phase.HOVER and before is not None
    return replace(state, phase=phase, hover_s=now_s if hovers else None)
