# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import inf
from random import Random
from typing import Any

import pytest
from flight import MCELIECE5, MLKEM1024, Flight, policy_with
from guards import (
    PUBLISHED,
    ROLLBACK,
    UPGRADE,
    heeded,
    leads_to_heavier,
    leads_to_lighter,
    pressing,
)
from histories import EVERY_SUITE, Plan, plans
from hypothesis import given, settings
from hypothesis import strategies as st
from pqc_policy.policy.blacklist import barred_suites
from pqc_policy.policy.config import Allowed, ExpertConfig
from pqc_policy.policy.decision import UNDER_WAY, Action, Decision
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.inputs import Verdict
from pqc_policy.policy.profile import SHIPPED
from pqc_policy.policy.protection import ONE_TIME_BYTES, RATCHET_BYTES
from pqc_policy.policy.responses import FreshKeys, response_to
from pqc_policy.policy.strategies import expert
from pqc_policy.policy.strategies.strategy import Strategy
from pqc_policy.policy.suites import SUITES, find_suite

FLOOR = Allowed(min_level=3, experimental=True)
CHOOSING = ("telemetry_aware", "expert")
ALL = ("static", "layered", *CHOOSING, "paper_2025")
Presses = list[frozenset[str]]
STEPS = ("agent", "blackout", "link", "stress")


DISTURBED: dict[str, Any] = {"gap_s": 3.0, "loss": 0.5, "rtt_s": 2.0}
UNDISTURBED: dict[str, Any] = {
    **{name: getattr(Flight, name) for name in DISTURBED},
    "refused": frozenset(),
    "obedient": True,
}


def flyable() -> list[str]:
    return [suite.id for suite in SUITES if FLOOR.allows(suite)]


def make(strategy: str, made: Strategy | None = None, profile: str = SHIPPED[0]) -> Policy:
    return policy_with(
        profile,
        strategy=strategy,
        made=made,
        allowed=FLOOR,
        ceiling=MLKEM1024,
        identity="alpha",
        expert=ExpertConfig(balanced_suite=MLKEM1024),
    )


def changes(flight: Flight) -> list[Decision]:
    return [decision for decision in flight.decisions if decision.to_suite is not None]


def known_inputs(decision: Decision) -> frozenset[str]:
    names = (
        *("link", "battery", "thermal", "armed", "advisor", "session"),
        *("phase", "computer", "power_w"),
    )
    return frozenset(n for n in names if getattr(decision.inputs, n).fresh(2.0) is not None)


def no_predicted_interruption_exceeds_5_s(flight: Flight) -> None:
    """I1."""
    costs = flight.policy.profile.costs
    for decision in changes(flight):
        assert costs[decision.to_suite].interruption_s <= 5.0


def there_is_always_a_suite_to_choose(flight: Flight) -> None:
    """I2."""
    order = flight.policy.order
    barred = barred_suites(flight.state, order, flight.blacklisted)
    assert order.choices(barred)
    own = frozenset(suite for suite, _ in flight.state.blacklist)
    assert order.choices(own)


def nothing_heavier_while_anything_presses(flight: Flight, presses: Presses) -> None:
    """I3: whatever the strategy must heed, lost inputs and the levels of `expert` included."""
    config = flight.policy.config
    for decision, now in zip(flight.decisions, presses, strict=True):
        if leads_to_heavier(flight, decision):
            assert not now & heeded(config, decision), decision.reason


def upgrades_follow_30_s_of_calm(flight: Flight, presses: Presses) -> None:
    """Nothing has asked for a lighter suite, and the suite was not changed."""
    config, calm_since_s, suite = flight.policy.config, None, None
    unrest = PUBLISHED if config.strategy == "paper_2025" else UPGRADE
    for decision, now in zip(flight.decisions, presses, strict=True):
        if now & unrest or decision.from_suite != suite:
            calm_since_s = None
        suite = decision.from_suite
        calm_since_s = decision.t if calm_since_s is None and not now & unrest else calm_since_s
        if decision.action is Action.UPGRADE and decision.rule != "operator":
            assert calm_since_s is not None and decision.t - calm_since_s >= 30.0


def an_episode_leads_at_most_three_steps_down(flight: Flight, presses: Presses) -> None:
    """Rollbacks count; it ends when for 5 s nothing has pressed."""
    config = flight.policy.config
    if config.strategy == "paper_2025":
        return  # the table knows no limit
    choosing = config.strategy == "expert"  # it chooses its suite, and takes no steps
    pressed_s, steps, before, suite = None, 0, None, None
    for decision, now in zip(flight.decisions, presses, strict=True):
        if now & ROLLBACK:
            pressed_s = decision.t
        elif pressed_s is None or decision.t - pressed_s > 5.0:
            steps = 0
        if decision.from_suite != suite:
            before, suite = suite, decision.from_suite
        if not leads_to_lighter(flight, decision):
            continue
        if decision.rule in STEPS and decision.to_suite != before and not choosing:
            assert steps < 3, decision.reason
        steps += decision.t in flight.renewed_s


def never_below_the_floor(flight: Flight) -> None:
    for decision in changes(flight):
        assert FLOOR.allows(find_suite(decision.to_suite))


def never_heavier_while_armed_but_by_a_rollback_or_a_layer(flight: Flight) -> None:
    """An unknown armed state counts as armed; a layer's suite does not stay."""
    for decision in flight.decisions:
        passing = decision.action in (Action.ROLLBACK, Action.LAYER)
        rises = leads_to_heavier(flight, decision) and not passing
        if decision.action is Action.UPGRADE or rises:
            assert decision.inputs.armed.fresh(2.0) is False


def at_most_5_rekeys_in_300_s_except_emergencies(flight: Flight) -> None:
    """Counts every rekey that was done; a fleet's warnings have a limit of their own."""
    if flight.policy.config.strategy == "layered":
        return  # which has the budget of airtime instead
    exempt = {
        d.t for d in changes(flight) if d.action is Action.DOWN_TO_LIGHTEST or d.rule == "fleet"
    }
    times = [at_s for at_s in flight.renewed_s if at_s not in exempt]
    for first, sixth in zip(times, times[5:], strict=False):
        assert sixth - first >= 300.0


def every_change_has_the_inputs_that_its_rule_declares(flight: Flight) -> None:
    """What makes suites heavier needs all required inputs."""
    policy = flight.policy
    required = policy.config.required_inputs
    rules = {rule.name: rule for rule in policy.strategy.rules}
    for decision in changes(flight):
        known = known_inputs(decision)
        rule = rules.get(decision.rule, expert.choose)
        if (decision.rule, decision.action) == ("link", Action.DOWN):
            rule = rules.get("choose", rule)  # for a bad link, whose renewals need the link
        assert not rule.needs.lacking(known, required), decision.reason
        if decision.action is Action.REKEY and decision.rule != "renew":
            assert "link" in known
        if leads_to_heavier(flight, decision) and decision.action is not Action.LAYER:
            assert not set(required) - known, decision.reason


def a_failed_rekey_is_not_repeated_at_once(flight: Flight) -> None:
    """An attacker who makes rekeys fail can neither provoke a storm of them nor stop them."""
    if flight.policy.config.strategy == "paper_2025":
        return  # the table knows no wait
    asked = changes(flight)
    for one, other in pairwise(asked):
        if one.to_suite == other.to_suite and one.t not in flight.renewed_s:
            assert other.t - one.t > 5.0


def the_operator_s_own_change_is_the_only_one_by_its_rule(flight: Flight) -> None:
    """A hold leads to the held suite and nowhere else."""
    for decision in changes(flight):
        if decision.rule == "operator" and decision.action is not Action.REKEY:
            held = decision.inputs.held
            assert held is not None and decision.to_suite == held.suite


def a_fleet_s_warning_only_renews_keys_and_seldom(flight: Flight) -> None:
    """Whoever controls another drone can do no more."""
    asked = [d for d in changes(flight) if d.rule == "fleet"]
    for decision in asked:
        assert decision.action is Action.REKEY and decision.to_suite == decision.from_suite
        assert decision.inputs.warned.fresh(30.0)
    for one, other in pairwise(asked):
        assert other.t - one.t >= 300.0


def every_wait_is_bounded(flight: Flight) -> None:
    """Whatever happens to link and rekeys, a wish is asked for again within the stated bound."""
    config = flight.policy.config
    bound_s = max(config.rekey_window_s, config.retry_most_s, config.pending_s)
    for decision in flight.decisions:
        held = decision.hold_reason
        if held is not None and held.until_s is not None:
            assert held.until_s - decision.t <= bound_s
            urgent = decision.rule == "emergency" and held.kind != UNDER_WAY
            assert not urgent or held.until_s - decision.t <= config.retry_s


def no_switch_within_5_s_of_another_except_emergencies(flight: Flight) -> None:
    """The cooldown; it does not apply to a rollback either."""
    moves = [d for d in changes(flight) if d.to_suite != d.from_suite]
    switches = [(a, b) for a, b in pairwise(moves) if a.to_suite == b.from_suite]
    for one, other in switches:
        if other.action not in (Action.DOWN_TO_LIGHTEST, Action.ROLLBACK):
            assert other.t - one.t >= 5.0


def no_step_down_for_an_attack_that_no_suite_helps_against(flight: Flight) -> None:
    """The table of responses; other rules may step down meanwhile, for their own reasons."""
    for decision in changes(flight):
        if decision.inputs.advisor.fresh(2.0) is not Verdict.ATTACK:
            continue
        named = decision.inputs.attack_class.fresh(2.0)
        if named is None:
            continue  # the class of before counts
        response = response_to(named)
        if decision.rule == "advisor" and decision.action is not Action.REKEY:
            assert response.lighter, decision.reason
        if response.ratchets and decision.action is Action.REKEY:
            last = decision.inputs.session.value.epoch >= 255
            published = decision.strategy == "paper_2025"
            assert decision.ratchet or last or published, decision.reason
        if response.keys is FreshKeys.NEVER:
            assert decision.rule != "attack", decision.reason


def a_layer_is_left_again(flight: Flight) -> None:
    """Whatever a layer leads to, the next change of the suite does not lead to a heavier one."""
    entered: Decision | None = None
    for decision in changes(flight):
        if decision.action is Action.LAYER and leads_to_heavier(flight, decision):
            assert entered is None or decision.from_suite != entered.to_suite, decision.reason
            entered = decision


def what_is_spent_of_a_thin_link_is_its_budget(flight: Flight) -> None:
    """Any 300 s have at most twice the budget, and what may not wait: a ratchet a minute."""
    if flight.policy.config.strategy != "layered":
        return
    window_s = flight.policy.config.rekey_window_s
    spent: list[tuple[float, float, float]] = []  # time, bytes, budget
    for decision in flight.decisions:
        link = decision.inputs.link.fresh(2.0)
        rate = link.rate_bytes_s if link is not None else None
        routine = decision.rule in ("layer", "refresh", "renew") and decision.to_suite is not None
        spent.append((decision.t, bytes_of(decision) if routine else 0.0, 0.02 * (rate or inf)))
    for place, (start_s, _, _) in enumerate(spent[:: int(window_s)]):
        part = spent[place * int(window_s) : (place + 1) * int(window_s)]
        budget = max(one for _, _, one in part)
        if budget == inf:
            continue
        urgent = 10 * ONE_TIME_BYTES + 2 * window_s / 60.0 * RATCHET_BYTES
        assert sum(size for _, size, _ in part) <= 2 * budget * window_s + urgent, start_s


def bytes_of(decision: Decision) -> float:
    """Return the bytes of a request, without the fetch of its key."""
    if decision.ratchet:
        return ONE_TIME_BYTES if decision.one_time_key else RATCHET_BYTES
    suite = find_suite(decision.to_suite or "")
    return float(suite.rekey_bytes - suite.prekey_bytes)


INVARIANTS = (
    no_predicted_interruption_exceeds_5_s,
    there_is_always_a_suite_to_choose,
    never_below_the_floor,
    never_heavier_while_armed_but_by_a_rollback_or_a_layer,
    at_most_5_rekeys_in_300_s_except_emergencies,
    every_change_has_the_inputs_that_its_rule_declares,
    a_failed_rekey_is_not_repeated_at_once,
    the_operator_s_own_change_is_the_only_one_by_its_rule,
    a_fleet_s_warning_only_renews_keys_and_seldom,
    every_wait_is_bounded,
    no_switch_within_5_s_of_another_except_emergencies,
    no_step_down_for_an_attack_that_no_suite_helps_against,
    a_layer_is_left_again,
    what_is_spent_of_a_thin_link_is_its_budget,
)
GUARDED = (
    nothing_heavier_while_anything_presses,
    upgrades_follow_30_s_of_calm,
    an_episode_leads_at_most_three_steps_down,
)


def hold_all(flight: Flight) -> None:
    """Every invariant, in a flight that is over."""
    for invariant in INVARIANTS:
        invariant(flight)
    presses = list(pressing(flight))
    for guarded in GUARDED:
        guarded(flight, presses)


# Who drops answers, delays them, and blocks the link for a time in seconds.
AN_ADVERSARY = given(
    refusals=st.lists(st.booleans(), min_size=60, max_size=600),
    delays=st.lists(st.floats(0.001, 30.0), min_size=1, max_size=20),
    blocked_s=st.floats(0.0, 10.0),
)


def is_locked_out_for_a_while_at_most(
    policy: Policy, refusals: list[bool], delays: list[float], blocked_s: float
) -> None:
    """Five minutes after an adversary has ended the keys have been renewed."""
    flight = Flight(policy, suite=MLKEM1024)
    for second, refused in enumerate(refusals):
        flight.refused = EVERY_SUITE if refused else frozenset()
        delay_s = delays[second % len(delays)]
        fresh = flight.now_s - flight.keys_since_s < 6.0
        flight.step(
            authenticated=False,
            rtt_s=delay_s,
            silence_s=blocked_s if fresh else 0.03,
            gap_s=blocked_s if fresh else 0.02,
            loss=0.5 if refused else 0.0,
        )
    ended_s = flight.now_s
    flight.fly(301, refused=frozenset(), rtt_s=0.02, silence_s=0.03, gap_s=0.02, loss=0.0)
    assert FLOOR.allows(find_suite(flight.suite))
    renewed_s = [at_s for at_s in flight.renewed_s if at_s > ended_s]
    assert renewed_s and renewed_s[0] - ended_s <= 300.0


@pytest.mark.parametrize("strategy", ALL)
@settings(max_examples=6)  # each of one to two hours
@given(plan=plans())
def test_every_invariant_holds_over_hours_of_trouble(strategy: str, plan: Plan) -> None:
    flight = plan.fly(make(strategy, profile=plan.profile))
    hold_all(flight)


@pytest.mark.parametrize("strategy", ALL)
@settings(max_examples=2)
@given(plan=plans(5))
def test_i4_replaying_a_history_gives_the_same_decisions_byte_for_byte(
    strategy: str, plan: Plan
) -> None:
    flight = plan.fly(make(strategy, profile=plan.profile))
    again = make(strategy, profile=plan.profile)
    replayed = again.replay(decision.inputs for decision in flight.decisions)
    assert [d.to_json() for d in replayed] == [d.to_json() for d in flight.decisions]


@pytest.mark.parametrize("strategy", ALL)
@settings(max_examples=6)
@given(
    suite=st.sampled_from(sorted(suite.id for suite in SUITES)),
    gap_s=st.floats(1.01, 20.0),
    c_per_min=st.floats(0.0, 12.0),
    blackouts=st.integers(0, 2),
    armed=st.booleans(),
)
def test_i3_suites_only_get_lighter_while_stress_rises(
    strategy: str,
    suite: str,
    gap_s: float,
    c_per_min: float,
    blackouts: int,
    armed: bool,
) -> None:
    flight = Flight(make(strategy), suite=suite, armed=armed)
    for second in range(200):
        flight.step(
            gap_s=gap_s * (1 + second / 100),
            c_per_min=c_per_min,
            temperature_c=60.0 + second * c_per_min / 60,
            blackouts=second * blackouts,
            loss=0.1,
        )
    order = flight.policy.order
    for decision in changes(flight):
        assert order.lighter(find_suite(decision.to_suite), find_suite(decision.from_suite))


@pytest.mark.parametrize("strategy", ALL)
@settings(max_examples=5)
@given(
    suite=st.sampled_from(flyable()),
    silences=st.lists(st.tuples(st.integers(1, 60), st.floats(0.0, 30.0)), max_size=30),
    losing=st.floats(0.0, 1.0),
)
def test_a_jammer_that_only_drops_packets_can_force_at_most_the_floor(
    strategy: str,
    suite: str,
    silences: list[tuple[int, float]],
    losing: float,
) -> None:
    flight = Flight(make(strategy), suite=suite)
    for seconds, gap_s in silences:
        for _ in range(seconds):
            blackouts = flight.blackouts + (gap_s > 1.0)
            flight.step(gap_s=gap_s, loss=losing, blackouts=blackouts)
        assert FLOOR.allows(find_suite(flight.suite))
        there_is_always_a_suite_to_choose(flight)


@pytest.mark.parametrize("strategy", ALL)
@settings(max_examples=8)
@given(
    suites=st.sets(st.sampled_from(sorted(suite.id for suite in SUITES)), min_size=1, max_size=5),
    by_tunnel=st.sets(st.sampled_from(sorted(suite.id for suite in SUITES)), max_size=5),
    seconds=st.integers(10, 200),
)
def test_i2_a_suite_is_left_when_every_rekey_fails_and_blackouts_follow(
    strategy: str, suites: set[str], by_tunnel: set[str], seconds: int
) -> None:
    usable = {s.id for s in make(strategy).order.usable}
    if not suites & usable:
        return
    allowed = Allowed(min_level=3, experimental=True, suites=frozenset(suites))
    flight = Flight(
        policy_with(strategy=strategy, allowed=allowed),
        suite=MCELIECE5,
        refused=frozenset(suites),
        blacklisted=frozenset(by_tunnel),
    )
    for second in range(seconds):
        flight.step(blackouts=second * 3, c_per_min=9.0)
        there_is_always_a_suite_to_choose(flight)


@pytest.mark.parametrize("strategy", ALL)
@settings(max_examples=5)
@AN_ADVERSARY
def test_an_adversary_who_drops_delays_and_blocks_locks_nobody_out_for_longer_than_the_bound(
    strategy: str, refusals: list[bool], delays: list[float], blocked_s: float
) -> None:
    """What it can do ends: five minutes later the keys have been renewed."""
    is_locked_out_for_a_while_at_most(make(strategy), refusals, delays, blocked_s)


@pytest.mark.parametrize("strategy", [name for name in ALL if name != "paper_2025"])
@settings(max_examples=6)
@given(seed=st.integers(0, 2**32 - 1))
def test_what_a_jammer_bars_is_free_300_s_after_its_end_and_an_episode_has_its_limit(
    strategy: str, seed: int
) -> None:
    """Whoever can only disturb the link bars no suite for longer than the bound."""
    chance = Random(seed)
    flight = Flight(
        make(strategy), suite=chance.choice(flyable()), armed=False, authenticated=False
    )

    def barred() -> frozenset[str]:
        return barred_suites(flight.state, flight.policy.order, frozenset())

    blocks = chance.random() < 0.5  # the data after each rekey
    for quiet_s in (400 if blocks else 0, *(chance.randint(0, 60) for _ in range(15))):
        for name, value in UNDISTURBED.items():
            setattr(flight, name, value)
        for _ in range(quiet_s):
            fresh = flight.now_s - flight.keys_since_s < 6.0
            flight.step(silence_s=9.0 if blocks and fresh else 0.03)
        flight.refused = EVERY_SUITE if chance.random() < 0.3 else frozenset()
        flight.obedient = chance.random() < 0.8
        for name, value in DISTURBED.items():
            setattr(flight, name, value if chance.random() < 0.5 else UNDISTURBED[name])
        for _ in range(chance.randint(1, 60)):
            flight.step(blackouts=flight.blackouts + (chance.random() < 0.8))
        if barred() and chance.random() < 0.3:
            break
    an_episode_leads_at_most_three_steps_down(flight, list(pressing(flight)))
    config = flight.policy.config
    # A rollback may come so late after its switch, whenever the last blackout was.
    flight.fly(int(config.blackout_blacklist_s + config.blackout_window_s), **UNDISTURBED)
    assert config.blackout_blacklist_s == 300.0 and not barred()


@pytest.mark.parametrize("strategy", CHOOSING)
@settings(max_examples=3)
@given(plan=plans(4), share=st.sampled_from([0.02, 1.0]))
def test_whoever_controls_another_drone_makes_keys_at_most_younger(
    strategy: str, plan: Plan, share: float
) -> None:
    """All properties hold under warnings at any rate, and none waits for the limit of rekeys."""
    warned = replace(plan, stretches=tuple(replace(one, warned=share) for one in plan.stretches))
    flight = warned.fly(make(strategy, profile=plan.profile))
    hold_all(flight)
    reasons = {d.hold_reason.kind for d in flight.decisions if d.rule == "fleet" and d.hold_reason}
    assert "limit" not in reasons


@pytest.mark.parametrize("strategy", CHOOSING)
def test_warnings_at_any_rate_leave_suites_and_limits_as_they_are(strategy: str) -> None:
    alone, warned = Flight(make(strategy)), Flight(make(strategy), warned=True)
    for flight in (alone, warned):
        flight.fly(700)
        flight.fly(60, gap_s=2.0)
        flight.fly(60, gap_s=0.02, c_per_min=9.0)
        flight.fly(300, c_per_min=0.0, armed=False)
    moves = [
        [(d.action, d.to_suite) for d in changes(flight) if d.to_suite != d.from_suite]
        for flight in (alone, warned)
    ]
    assert moves[0] == moves[1]
    assert sum(d.rule == "fleet" for d in changes(warned)) <= 4
