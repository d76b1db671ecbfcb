# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Replays a flight with a session that follows the replayed decisions.

The sensors stay as recorded, as if the suite had no effect on them. The session starts as recorded;
then each decision is carried out within a second, and none fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Protocol

from pqc_policy.policy.decision import Decision
from pqc_policy.policy.inputs import DecisionInput
from pqc_policy.policy.state import PolicyState

_EPOCHS = 256


class Decider(Protocol):
    """A Policy, or one whose settings change in flight."""

    def decide(self, state: PolicyState, inputs: DecisionInput) -> tuple[Decision, PolicyState]:
        """Return what Policy.decide() returns."""


class ObedientTunnel:
    """Simulates the session; only whether there is one is taken from the recording."""

    def __init__(self) -> None:
        self._suite: str | None = None
        self._epoch = 0
        self._keys_since_s = 0.0

    def seen(self, inputs: DecisionInput) -> DecisionInput:
        """Return the inputs with the simulated session in place of the recorded one."""
        session = inputs.session.value
        if session is None or not session.suite:
            return inputs
        if self._suite is None:
            self._suite, self._epoch = session.suite, session.epoch
            age_s = session.key_age_s if session.key_age_s is not None else 0.0
            self._keys_since_s = inputs.now_s - inputs.session.age_s - age_s
        measured_s = inputs.now_s - inputs.session.age_s
        followed = replace(
            session,
            suite=self._suite,
            epoch=self._epoch,
            key_age_s=max(0.0, measured_s - self._keys_since_s),
            rekeying=False,
            failure=None,
        )
        return replace(inputs, session=replace(inputs.session, value=followed))

    def carry_out(self, decision: Decision) -> None:
        """Carry out a decision."""
        if decision.to_suite is not None:
            self._suite = decision.to_suite
            self._epoch = (self._epoch + 1) % _EPOCHS
            self._keys_since_s = decision.t


def decide_obeyed(policy: Decider, history: Iterable[DecisionInput]) -> Iterator[Decision]:
    """Yield the decisions over a history in which each decision is carried out."""
    tunnel, state = ObedientTunnel(), PolicyState()
    for inputs in history:
        decision, state = policy.decide(state, tunnel.seen(inputs))
        tunnel.carry_out(decision)
        yield decision
