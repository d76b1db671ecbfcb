# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A recorded flight in which the tunnel does what the replayed policy says.

What the sensors recorded stays as it was, as if no suite made a difference to them. The session
begins as it was recorded; then each decision comes about within a second, and none fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pqc_policy.policy.decision import Decision
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.inputs import DecisionInput
from pqc_policy.policy.state import PolicyState

_EPOCHS = 256


class ObedientTunnel:
    """The session as it would be; recorded is only whether there is one at all."""

    def __init__(self) -> None:
        self._suite: str | None = None
        self._epoch = 0
        self._keys_since_s = 0.0

    def seen(self, inputs: DecisionInput) -> DecisionInput:
        """Return the inputs with the session that would be there instead of the recorded one."""
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

    def obey(self, decision: Decision) -> None:
        """Do what was decided."""
        if decision.to_suite is not None:
            self._suite = decision.to_suite
            self._epoch = (self._epoch + 1) % _EPOCHS
            self._keys_since_s = decision.t


def decide_obeyed(policy: Policy, history: Iterable[DecisionInput]) -> Iterator[Decision]:
    """Yield the decisions of a policy over a history in which it is obeyed."""
    tunnel, state = ObedientTunnel(), PolicyState()
    for inputs in history:
        decision, state = policy.decide(state, tunnel.seen(inputs))
        tunnel.obey(decision)
        yield decision
