# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""One decision: inputs and what is remembered go in, a decision and what to remember come out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pqc_policy.parameters import ParameterFault
from pqc_policy.policy.blacklist import blacklist
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.decision import Action, Decision, Proposal
from pqc_policy.policy.gates import obstacle
from pqc_policy.policy.inputs import DecisionInput
from pqc_policy.policy.ladder import Ladder
from pqc_policy.policy.observe import observe
from pqc_policy.policy.profile import Profile, shipped_profile
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.state import Pending, PolicyState
from pqc_policy.policy.strategies import STRATEGIES

_NOTHING: frozenset[str] = frozenset()


class Policy:
    """A configured policy; it remembers nothing itself."""

    def __init__(self, config: PolicyConfig, profile: Profile | None = None) -> None:
        self.config = config
        self.profile = profile if profile is not None else shipped_profile()
        self.ladder = Ladder(config.allowed, self.profile, config.max_interruption_s)
        if not self.ladder.usable:
            raise ParameterFault(
                f"No allowed suite interrupts the link for at most {config.max_interruption_s:g} s."
            )
        self._rows = STRATEGIES[config.strategy]

    def decide(self, state: PolicyState, inputs: DecisionInput) -> tuple[Decision, PolicyState]:
        """Return the decision and the state to pass in with the next inputs."""
        seen = observe(self.config, self.profile, self.ladder, state, inputs)
        s = seen.situation
        proposal = next(p for row in self._rows if (p := row(s)) is not None)
        hindered = obstacle(s, proposal)
        if hindered is not None:
            reason = f"{proposal.reason.rstrip('.')} – but {hindered}."
            proposal = replace(
                proposal, action=Action.HOLD, reason=reason, target=None, blacklist=None
            )
        state, listed = self._carried_out(s, proposal)
        decision = Decision(
            t=inputs.now_s,
            strategy=self.config.strategy,
            action=proposal.action,
            guard=proposal.guard,
            from_suite=s.session.suite if s.session is not None else None,
            to_suite=proposal.target,
            reason=seen.note + proposal.reason,
            blacklisted=seen.blacklisted + listed,
            removed=proposal.removed,
            inputs=inputs,
            hindered=hindered,
        )
        return decision, state

    def replay(self, history: Iterable[DecisionInput]) -> Iterator[Decision]:
        """Yield the decisions over a whole history, from a fresh start."""
        state = PolicyState()
        for inputs in history:
            decision, state = self.decide(state, inputs)
            yield decision

    def _carried_out(self, s: Situation, proposal: Proposal) -> tuple[PolicyState, tuple[str, ...]]:
        """Remember what is asked of the tunnel."""
        state = s.state
        if proposal.target is None or s.session is None:
            return state, ()
        state = replace(
            state,
            attempts_s=(*state.attempts_s, s.now_s),
            pending=Pending(proposal.target, s.session.suite, s.session.epoch, s.now_s),
        )
        if proposal.blacklist is None:
            return state, ()
        until_s = s.now_s + self.config.blacklist_s
        by_tunnel = s.session.blacklisted
        listed = blacklist(state, self.ladder, by_tunnel, proposal.blacklist, until_s)
        return (state, ()) if listed is None else (listed, (proposal.blacklist,))
