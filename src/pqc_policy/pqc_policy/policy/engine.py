# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Makes one decision from the inputs and the state, which it returns changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass, replace

from pqc_policy.parameters import ParameterFault
from pqc_policy.policy import airtime, guards
from pqc_policy.policy.blacklist import blacklist
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.cue import cue_of
from pqc_policy.policy.decision import Action, Decision, Limit, Proposal
from pqc_policy.policy.guards.safety import SAFETY
from pqc_policy.policy.inputs import DecisionInput, hold_request_fault
from pqc_policy.policy.observe import LASTING, observe
from pqc_policy.policy.profile import Profile, shipped_profile
from pqc_policy.policy.rule import Rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.state import Pending, PolicyState
from pqc_policy.policy.strategies.registry import checked, find_strategy
from pqc_policy.policy.strategies.strategy import Strategy
from pqc_policy.policy.suite_order import SuiteOrder
from pqc_policy.policy.suites import find_suite
from pqc_policy.policy.wording import listed

Rules = tuple[Rule, ...]

_ADVICE = "Advice only: no rekey is requested."


class Policy:
    """A configured policy; the caller keeps its state."""

    def __init__(
        self,
        config: PolicyConfig,
        profile: Profile | None = None,
        *,
        advise_only: bool = False,
        strategy: Strategy | None = None,
    ) -> None:
        """Raise ParameterFault if no suite may be chosen with this configuration.

        With `advise_only` no rekey is requested, and none is waited for. A given `strategy` takes
        the place of the one that the configuration names.
        """
        if strategy is None:
            self.strategy = find_strategy(config.strategy)
        else:
            self.strategy = checked(config.strategy, strategy)
        self.config = replace(config, **self.strategy.fixed)
        # Configured values that the strategy does not use.
        self.overridden = {
            name: given
            for name, fixed in self.strategy.fixed.items()
            if not is_dataclass(fixed)
            and (given := getattr(config, name)) not in (fixed, getattr(PolicyConfig(), name))
        }
        self.advise_only = advise_only
        self.profile = profile if profile is not None else shipped_profile(self.strategy.profile)
        self.order = SuiteOrder(config.allowed, self.profile, config.max_interruption_s)
        if not self.order.usable:
            raise ParameterFault(
                f"No allowed suite interrupts the link for at most {config.max_interruption_s:g} s."
            )
        self._lasting = {**LASTING, **self.strategy.lasting}
        self._able_with: dict[frozenset[str], tuple[Rules, tuple[str, ...]]] = {}

    def decide(self, state: PolicyState, inputs: DecisionInput) -> tuple[Decision, PolicyState]:
        """Return the decision, and the state to pass in with the next inputs."""
        seen = observe(
            self.config,
            self.profile,
            self.order,
            state,
            self.strategy.sees(inputs),
            self._lasting,
        )
        s = seen.situation
        able, inactive = self._able(s)
        proposal = _first(s, able)
        if proposal.rule == SAFETY and s.current is not None:
            proposal = replace(proposal, reason=f"{proposal.reason}{self._degraded(s)}")
        held = guards.hold_reason(s, proposal)
        if held is not None:
            proposal = proposal.held(held)
        state, blacklisted = s.state, ()
        if self.advise_only and proposal.target is not None:
            proposal = replace(proposal, reason=f"{proposal.reason} {_ADVICE}")
        else:
            state, blacklisted = self._after(s, proposal)
        cue_id, cue = cue_of(s)
        decision = Decision(
            t=inputs.now_s,
            strategy=self.config.strategy,
            action=proposal.action,
            rule=proposal.rule,
            from_suite=s.session.suite if s.session is not None else None,
            to_suite=proposal.target,
            reason=seen.note + proposal.reason,
            blacklisted=seen.blacklisted + blacklisted,
            removed=proposal.removed,
            inputs=inputs,
            ratchet=proposal.ratchet,
            hold_reason=held,
            asked=proposal.target is not None and not self.advise_only,
            missing=s.missing,
            inactive=inactive,
            cue=cue,
            cue_id=cue_id,
            preference=proposal.preference,
            one_time_key=proposal.one_time_key,
            prefetch="" if self.advise_only else proposal.prefetch,
        )
        return decision, state

    def hold_fault(self, suite_id: str, seconds: float) -> str | None:
        """Return why a hold is not accepted, as a sentence; None if it is. No suite releases it."""
        fault = hold_request_fault(suite_id, seconds)
        if fault is not None or not suite_id:
            return fault
        if guards.operator not in self.strategy.rules:
            return f"The strategy {self.config.strategy} has no rule operator: it holds no suite."
        suite = find_suite(suite_id)
        if suite is None or not self.order.may_choose(suite, ()):
            return f"The policy may not choose {suite_id}."
        return None

    def lacking(self, rule: Rule, s: Situation) -> tuple[str, ...]:
        """Return the unknown inputs without which a rule can't act."""
        return rule.needs.lacking(s.known, self.config.required_inputs)

    def _able(self, s: Situation) -> tuple[Rules, tuple[str, ...]]:
        """Return the rules that have their inputs, and the names of those that lack any."""
        found = self._able_with.get(s.known)
        if found is None:
            rules = self.strategy.rules
            inactive = tuple(rule.name for rule in rules if self.lacking(rule, s))
            able = tuple(rule for rule in rules if rule.name not in inactive)
            found = self._able_with[s.known] = able, inactive
        return found

    def _degraded(self, s: Situation) -> str:
        """Return what can't be done without the required inputs that are missing, as a sentence."""
        names = [
            rule.name for rule in self.strategy.rules if {*self.lacking(rule, s)} & {*s.missing}
        ]
        return f" Meanwhile {listed(names)} can't act." if names else ""

    def replay(self, history: Iterable[DecisionInput]) -> Iterator[Decision]:
        """Yield the decisions over a sequence of inputs, starting without a state."""
        state = PolicyState()
        for inputs in history:
            decision, state = self.decide(state, inputs)
            yield decision

    def _after(self, s: Situation, proposal: Proposal) -> tuple[PolicyState, tuple[str, ...]]:
        """Return the state after a rekey was requested, and the suites blacklisted."""
        state = s.state
        if proposal.prefetch:
            state = replace(state, fetch_asked_s=s.now_s)
        if proposal.target is None or s.session is None:
            return state, ()
        credit = state.credit_bytes
        if credit is not None:
            credit -= airtime.bytes_of(s, proposal)
        state = replace(
            _counted(state, proposal, s.now_s),
            pending=Pending(
                proposal.target,
                s.session.suite,
                s.session.epoch,
                s.now_s,
                airtime.patience_s(s, proposal.target),
                proposal.one_time_key,
            ),
            credit_bytes=credit,
        )
        if proposal.blacklist is None:
            return state, ()
        until_s = s.now_s + self.config.blackout_blacklist_s
        by_tunnel = s.session.blacklisted
        changed = blacklist(state, self.order, by_tunnel, proposal.blacklist, until_s)
        return (state, ()) if changed is None else (changed, (proposal.blacklist,))


def _counted(state: PolicyState, proposal: Proposal, now_s: float) -> PolicyState:
    """Return the state with a request counted towards the limit that its proposal names."""
    if proposal.limit is Limit.WARNINGS:
        return replace(state, warned_rekey_s=now_s)
    events = {proposal.rule: now_s} if proposal.limit is Limit.EVENTS else {}
    return replace(state, rekeys_s=(*state.rekeys_s, now_s), event_s={**state.event_s, **events})


def _first(s: Situation, rules: Rules) -> Proposal:
    """Return the first proposal; a HOLD that yields gives way to a later wish for fresh keys."""
    waiting: Proposal | None = None
    for rule in rules:
        proposal = rule(s)
        if proposal is None:
            continue
        if waiting is None and not proposal.yields:
            return proposal
        if waiting is not None and proposal.action is Action.REKEY:
            return replace(proposal, removed=waiting.removed)
        waiting = waiting or proposal
    assert waiting is not None  # nominal always proposes something
    return waiting
