# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The rules by which an agent takes part: they say what is open to it, and it chooses.

Whatever it prefers, an open choice is a proposal of the rules or within their limits: a step up is
that of the rule `upgrade`, a step down needs something that presses and has the limit of an
episode, fresh keys have their phase and the reserve of rekeys, and nothing is open that would be
held. Emergencies, blackouts, cooldown and operator are decided before an agent is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import isfinite

from pqc_policy.policy import guards
from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.inputs import Phase
from pqc_policy.policy.rule import Rule, rule
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import Suite
from pqc_policy.policy.wishes.renewal import interval_s, renewal
from pqc_policy.policy.wishes.step_down import step_down
from pqc_policy.policy.wishes.upgrade import upgrade

from pqc_learning.agent.choice import Choice
from pqc_learning.agent.preference import AgentPreference
from pqc_learning.agent.table import Agent
from pqc_learning.agent.view import View, view

# Keys that are younger need no renewal, whatever an agent prefers.
_LEAST_INTERVALS = 0.25
_WORDS = {
    Choice.HOLD: "to hold",
    Choice.RATCHET: "fresh keys by a ratchet",
    Choice.REKEY: "fresh keys by a full rekey",
    Choice.DOWN: "one step down",
    Choice.UP: "one step up",
}
# A proposal, or why there is none, as a clause.
_Options = Mapping[Choice, Proposal | str]


def agent_rule(agent: Agent) -> Rule:
    """Return the rule that does what an agent prefers of everything that is open."""

    @rule("session")
    def agent_prefers(s: Situation) -> Proposal | None:
        """Do what the trained agent prefers of what is open."""
        return _chosen(agent, s, (Choice.RATCHET, Choice.REKEY, Choice.DOWN, Choice.UP))

    return replace(agent_prefers, name="agent")


def leeway_rule(agent: Agent) -> Rule:
    """Return the rule that lets an agent choose what the rules leave open.

    That is to renew keys earlier, and when to step up.
    """

    @rule("session")
    def leeway(s: Situation) -> Proposal | None:
        """Do what the trained agent prefers of an earlier renewal and a step up."""
        return _chosen(agent, s, (Choice.RATCHET, Choice.REKEY, Choice.UP))

    return leeway


def _chosen(agent: Agent, s: Situation, choices: tuple[Choice, ...]) -> Proposal | None:
    if s.current is None:
        return None
    options = {choice: _option(s, s.current, choice) for choice in choices}
    seen = view(s)
    values = _finite(agent.values(seen))
    able = [choice for choice in choices if isinstance(options[choice], Proposal)]
    # The first of equal values counts, which is to hold; a choice without a value is none.
    order = [choice for choice in (Choice.HOLD, *able) if choice in values]
    best = max(order, key=values.__getitem__, default=Choice.HOLD)
    proposal = options.get(best)
    if not isinstance(proposal, Proposal):
        incomplete = guards.safety(s)
        if incomplete is not None:
            return incomplete
        proposal = guards.endure(s) or Proposal(Action.HOLD, "")
    preference = _preference(agent, seen, values, best, (Choice.HOLD, *able), s.inputs.phase.value)
    return replace(
        proposal,
        reason=f"{_reason(preference, options)} {proposal.reason}".rstrip(),
        preference=preference,
    )


def _finite(values: Mapping[str, float]) -> dict[Choice, float]:
    """Return the values that are numbers, of choices that there are."""
    return {choice: v for choice in Choice if isfinite(v := values.get(choice, float("nan")))}


def _preference(
    agent: Agent,
    seen: View,
    values: Mapping[Choice, float],
    best: Choice,
    able: tuple[Choice, ...],
    phase: Phase | None,
) -> AgentPreference:
    others = [choice for choice in able if choice in values and choice is not best]
    against = max(others, key=values.__getitem__, default=None)
    because: tuple[tuple[str, float], ...] = ()
    if against is not None and best in values:
        because = agent.because(seen, best, against)
    return AgentPreference(
        chosen=best,
        against=against or "",
        values=tuple((str(choice), value) for choice, value in values.items()),
        able=tuple(map(str, able)),
        because=because,
        view=seen,
        phase=phase,
    )


def _reason(preference: AgentPreference, options: _Options) -> str:
    """Return what the agent prefers, and what it would rather do if that were open."""
    values = dict(preference.values)
    chosen = Choice(preference.chosen)
    if chosen not in values:
        return "The agent has no value for anything that is open: hold."
    text = f"The agent prefers {_WORDS[chosen]} (value {values[chosen]:.3f}"
    if preference.against:
        against = Choice(preference.against)
        text += f"; {_WORDS[against]}: {values[against]:.3f}"
    closed = [
        (choice, why)
        for choice, why in options.items()
        if isinstance(why, str) and values.get(choice, values[chosen]) > values[chosen]
    ]
    if closed:
        choice, why = max(closed, key=lambda each: values[each[0]])
        text += f"; {_WORDS[choice]} would be worth {values[choice]:.3f}, but {why}"
    return f"{text})."


def _option(s: Situation, current: Suite, choice: Choice) -> Proposal | str:
    if choice is Choice.DOWN:
        found = _down(s, current)
    elif choice is Choice.UP:
        found = _up(s)
    else:
        found = _renewal(s, current, ratchet=choice is Choice.RATCHET)
    if isinstance(found, str):
        return found
    held = guards.hold_reason(s, found)
    return replace(found, rule="") if held is None else held.text


def _renewal(s: Situation, current: Suite, *, ratchet: bool) -> Proposal | str:
    if "link" not in s.known:
        return "the link is unknown"
    if not s.order.may_choose(current, s.barred):
        return f"{current.id} may not be chosen"
    if s.config.rekey_interval_s.of(current.family) is None:
        return f"keys of {current.kem} are renewed after events only"
    age_s, interval = s.age_s(s.state.keys_since_s), interval_s(s.config, current)
    if age_s is None or interval is None or age_s < _LEAST_INTERVALS * interval:
        return "the keys are fresh"
    if not s.phase_renews:
        return "renewals wait for another phase"
    why = f"Fresh keys by a {'ratchet' if ratchet else 'full rekey'}"
    return renewal(s, current, why, ratchet=ratchet)


def _down(s: Situation, current: Suite) -> Proposal | str:
    if s.order.down(current, s.barred) is None:
        return "no lighter suite is left"
    if not s.pressed:
        return "nothing presses"
    return s.episode_is_spent.rstrip(".") or step_down(s, "It presses")


def _up(s: Situation) -> Proposal | str:
    if upgrade.needs.lacking(s.known, s.config.required_inputs):
        return "a heavier suite needs all required inputs"
    proposal = upgrade(s)
    if proposal is None:
        return "it has not been calm on the ground for long enough, or no heavier suite is left"
    return proposal
