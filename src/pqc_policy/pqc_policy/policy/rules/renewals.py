# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The rules that renew the keys of the suite in use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256

from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.decision import Action, Limit, Proposal
from pqc_policy.policy.inputs import known
from pqc_policy.policy.responses import FreshKeys, Response, response_to
from pqc_policy.policy.rules.needs import needs
from pqc_policy.policy.situation import Situation
from pqc_policy.policy.suites import Suite
from pqc_policy.policy.wording import apart

_LAST_EPOCH = 255  # of a session: a full rekey begins the next one


@dataclass(frozen=True)
class _Event:
    """Something after which fresh keys are worth more than their cost."""

    since_s: float
    why: str
    rule: str
    ratchet: bool = False


def interval_s(config: PolicyConfig, suite: Suite) -> float | None:
    """Return the interval of a suite's routine renewals; None for never.

    The drones of one ground station differ by up to rekey_stagger_s, each always by the same time.
    """
    own_s = config.rekey_interval_s.of(suite.family)
    return None if own_s is None else own_s + _stagger_s(config)


def _stagger_s(config: PolicyConfig) -> float:
    """Return by how much later than another one's this drone's renewals are."""
    if not config.identity:
        return 0.0
    share = int.from_bytes(sha256(config.identity.encode()).digest()[:4]) / 2**32
    return share * config.rekey_stagger_s


@needs("session", "link")
def rekey(s: Situation) -> Proposal | None:
    """Make fresh keys for the same suite after the stable interval of its KEM family."""
    why = _routine(s)
    if why is None or s.current is None:
        return None
    return renewal(s, s.current, Proposal(Action.REKEY, "rekey", why, target=s.current.id))


@needs("session", "link")
def overdue(s: Situation) -> Proposal | None:
    """Make fresh keys after twice the interval, where an agent may put the routine off."""
    why = _routine(s, intervals=s.config.latest_intervals)
    if why is None or s.current is None:
        return None
    return renewal(s, s.current, Proposal(Action.REKEY, "overdue", why, target=s.current.id))


def any_of(s: Situation) -> Proposal | None:
    """Return the renewal that is due for a suite that has been chosen; None if there is none."""
    return event(s, chosen=True) or fleet(s) or rekey(s)


@needs("session", "link")
def event(s: Situation, *, chosen: bool = False) -> Proposal | None:
    """Make fresh keys at once after what makes them worth it, at most once per rekey_window_s.

    Each rule of an event has this limit for itself.
    A wish that would have to wait is none: it must not keep the rules below from acting.
    `chosen`: whether the suite in use has been chosen for what happens, so that nothing else is
    left to do than to renew its keys; then the begin of a bad link is worth a ratchet, too.
    """
    if s.current is None or not s.order.may_choose(s.current, s.barred):
        return None
    spent = len(s.state.rekeys_s) >= s.config.routine_limit
    if spent or not s.phase_rules.routine:
        return None
    times_s = (s.state.keys_since_s, *s.state.event_s.values(), *s.state.rekeys_s[-1:])
    made_s = [at_s for at_s in times_s if at_s is not None]
    for one in (*_events(s, s.current, chosen), *(_onset_of_bad_link(s) if chosen else ())):
        if any(at_s >= one.since_s for at_s in made_s):
            continue
        lasted_s = s.lasted_s(s.state.event_s.get(one.rule))
        if lasted_s is not None and lasted_s < s.config.rekey_window_s:
            continue
        proposal = Proposal(
            Action.REKEY, one.rule, one.why, target=s.current.id, limit=Limit.EVENTS
        )
        return renewal(s, s.current, proposal, ratchet=one.ratchet)
    return None


@needs("session", "link")
def fleet(s: Situation) -> Proposal | None:
    """Renew the keys early after another drone's attack, at most once in warned_rekey_s.

    A warning is the word of another drone: it leads to no other suite, presses nothing, counts
    towards no limit of this drone's own rekeys, and an attempt that fails is not repeated.
    """
    since_s, before_s = s.state.warned_since_s, s.lasted_s(s.state.warned_rekey_s)
    if s.current is None or since_s is None or not s.order.may_choose(s.current, s.barred):
        return None
    if before_s is not None and before_s < s.config.warned_rekey_s:
        return None
    spent = len(s.state.rekeys_s) >= s.config.routine_limit
    if spent or waits_for_phase(s):
        return None
    if s.state.keys_since_s is not None and s.state.keys_since_s >= since_s:
        return None
    if s.now_s - since_s < _stagger_s(s.config):
        return None
    why = "Another drone of the fleet reports an attack: fresh keys early"
    proposal = Proposal(Action.REKEY, "fleet", why, target=s.current.id, limit=Limit.WARNINGS)
    return renewal(s, s.current, proposal)


def _events(s: Situation, suite: Suite, chosen: bool) -> Iterator[_Event]:
    levels, state = s.state.levels, s.state
    response = s.response
    if response is not None and levels.advisor_since_s is not None:
        # A step to a lighter KEM, where one is left, brings fresh keys, and a rekey would delay it.
        stays = chosen or not response.lighter or not _lighter_kem(s, suite)
        if response.keys is FreshKeys.NOW and stays:
            why = f"Under attack{s.attack_text}: fresh keys at once{_why_now(response)}"
            yield _Event(levels.advisor_since_s, why, "advisor", ratchet=response.ratchets)
    elif response_to(state.attack_class).keys is FreshKeys.AFTER and state.attack_over_s:
        yield _Event(
            state.attack_over_s,
            f"The attack{s.attack_text} is over: fresh keys, with which what was withheld is void",
            "advisor",
        )


def _why_now(response: Response) -> str:
    if response.ratchets:
        return " by a ratchet, the least that has to get through"
    if response.lighter:
        return ", for the fastest handshake is that of the suite in use"
    return ", with which recorded datagrams are void"


def _lighter_kem(s: Situation, suite: Suite) -> bool:
    lighter = s.order.down(suite, s.barred)
    return lighter is not None and lighter.kem != suite.kem


def _onset_of_bad_link(s: Situation) -> Iterator[_Event]:
    levels = s.state.levels
    if levels.link and levels.link_since_s is not None:
        yield _Event(
            levels.link_since_s,
            "Bad link: fresh keys at once by a ratchet, the fastest renewal at this level",
            "link",
            ratchet=True,
        )


def _routine(s: Situation, intervals: float = 1.0) -> str | None:
    """Return why a routine renewal is due after so many intervals; None if it is not."""
    if s.current is None or not s.order.may_choose(s.current, s.barred):
        return None
    every_s, since_s, at_s = (
        interval_s(s.config, s.current),
        s.state.keys_since_s,
        due_s(s, intervals),
    )
    if every_s is None or since_s is None or at_s is None:
        return None
    if s.now_s <= at_s or phase_wait_left_s(s, at_s) >= 0.0:
        return None
    age, limit = apart(s.now_s - since_s, intervals * every_s, 0)
    return f"Stable, and the keys are {age} s old, more than {limit} s"


def due_s(s: Situation, intervals: float) -> float | None:
    """Return the time after which a routine renewal is due, if all stays as it is now.

    Usually it must have been stable for the whole interval. Keys older than latest_intervals need a
    short calm only: whoever disturbs the link in each minute must not stop their renewal.
    """
    every_s = interval_s(s.config, s.current) if s.current is not None else None
    stable_since_s, keys_since_s = s.state.stable_since_s, s.state.keys_since_s
    if every_s is None or stable_since_s is None or keys_since_s is None:
        return None
    calm_since_s = max(stable_since_s, s.state.switched_at_s or stable_since_s)
    limit_s = intervals * every_s
    made_s = max((keys_since_s, *s.state.rekeys_s[-1:]))
    usually_s = max(calm_since_s, made_s) + limit_s
    latest_s = keys_since_s + s.config.latest_intervals * every_s
    return min(usually_s, max(calm_since_s + s.config.persistence_s, made_s + limit_s, latest_s))


def waits_for_phase(s: Situation) -> bool:
    """Return whether a routine renewal waits for another phase, for at most phase_wait_s."""
    return not s.phase_rules.routine


def phase_wait_left_s(s: Situation, at_s: float) -> float:
    """Return how much longer a renewal that is due since a time waits for another phase.

    Below zero: not at all. The wait begins anew with each phase that has no renewals.
    """
    if not waits_for_phase(s):
        return -1.0
    return max(at_s, s.state.no_renewals_since_s or at_s) + s.config.phase_wait_s - s.now_s


def renewal(
    s: Situation, suite: Suite, proposal: Proposal, *, ratchet: bool = False
) -> Proposal:
    """Return a renewal by a ratchet if that is wanted, or full rekeys cost too much of the air."""
    why = proposal.reason
    last = s.session is not None and s.session.epoch >= _LAST_EPOCH
    # Without a routine there is at most one renewal in rekey_window_s.
    every_s = interval_s(s.config, suite) or s.config.rekey_window_s
    share = _airtime(s, suite, every_s)
    if share > s.config.rekey_airtime:
        most = 100.0 * s.config.rekey_airtime
        why += f"; full rekeys would take {100.0 * share:.1f} % of the link's rate, more than "
        why += f"{most:g} %: by a ratchet"
        ratchet = True
    elif not ratchet and (trouble := needs_ratchet(s)):
        why += f"; {trouble}: by a ratchet"
        ratchet = True
    return replace(proposal, reason=f"{why}.", ratchet=ratchet and not last)


def needs_ratchet(s: Situation) -> str:
    """Return why a full rekey would hardly get through now, as a clause; empty if it would."""
    if s.state.levels.link:
        return "the link is bad"
    under_attack = s.response is not None and s.response.ratchets
    return f"under attack{s.attack_text}" if under_attack else ""


def _airtime(s: Situation, suite: Suite, every_s: float) -> float:
    """Return the share of a thin link's rate that full rekeys take; 0 if no link is thin."""
    rate = known(s.link.rate_bytes_s) if s.link is not None else None
    return s.cost(suite).rekey_bytes / (rate * every_s) if rate else 0.0
