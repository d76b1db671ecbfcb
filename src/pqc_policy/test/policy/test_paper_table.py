# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Table II of the paper, row by row: the strategy paper_2025 is this table and no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from flight import LIGHTEST, MLKEM512, MLKEM768, MLKEM1024, Flight, policy_with, take_off
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.decision import Action
from pqc_policy.policy.inputs import Computer, Phase, Verdict

PAPER = "paper_2025"
AFTER_A_SWITCH = ("blackout", "cooldown")
LATER = ("link", "stress", "rekey", "upgrade", "nominal")


@dataclass(frozen=True)
class Row:
    """A row of the table at its threshold."""

    rule: str
    action: Action
    to: str | None
    within: dict[str, Any]  # the row does not apply
    beyond: dict[str, Any]  # and does
    seconds: int = 1  # of either
    start: str = MLKEM1024
    calm_s: int = 0  # before


ROWS = (
    *(
        Row("safety", Action.HOLD, None, {"ages_s": {name: 2.0}}, {"ages_s": {name: 2.001}})
        for name in ("link", "battery", "thermal", "armed", "session")
    ),
    Row("emergency", Action.DOWN_TO_LIGHTEST, LIGHTEST, {"voltage_v": 14.0}, {"voltage_v": 13.999}),
    Row(
        "emergency",
        Action.DOWN_TO_LIGHTEST,
        LIGHTEST,
        {"temperature_c": 80.0},
        {"temperature_c": 80.001},
    ),
    Row("link", Action.DOWN, MLKEM768, {"gap_s": 1.0}, {"gap_s": 1.001}, seconds=6),
    Row("stress", Action.DOWN, MLKEM768, {"c_per_min": 5.0}, {"c_per_min": 5.001}, seconds=6),
    Row("stress", Action.DOWN, MLKEM768, {"mv_per_min": -500.0}, {"mv_per_min": -500.1}, seconds=6),
    Row("rekey", Action.REKEY, MLKEM1024, {}, {}, calm_s=60),
    Row(
        "upgrade",
        Action.UPGRADE,
        MLKEM768,
        {"armed": True},
        {"armed": False},
        start=MLKEM512,
        calm_s=29,
    ),
)


def named(row: Row) -> str:
    return "-".join((row.rule, *row.beyond, *row.beyond.get("ages_s", ())))


def paper(suite: str = MLKEM1024, **circumstances: Any) -> Flight:
    return take_off(policy_with("raspberry_pi_5", strategy=PAPER), suite=suite, **circumstances)


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_a_row_acts_beyond_its_threshold_and_not_at_it(row: Row) -> None:
    for changes, acts in ((row.within, False), (row.beyond, True)):
        flight = paper(row.start)
        if row.calm_s:
            flight.fly(row.calm_s - (not acts), **changes)
        decisions = flight.fly(row.seconds, **changes)
        assert all(d.rule == "nominal" for d in decisions[:-1])
        seen = decisions[-1]
        expected = (row.rule, row.action, row.to) if acts else ("nominal", Action.HOLD, None)
        assert (seen.rule, seen.action, seen.to_suite, seen.ratchet) == (*expected, False)


@pytest.mark.parametrize(("blackouts", "rule"), [(3, "cooldown"), (4, "blackout")])
@pytest.mark.parametrize("after_s", [1, 4])
def test_more_than_3_blackouts_near_a_switch_roll_it_back_else_5_s_are_awaited(
    blackouts: int, rule: str, after_s: int
) -> None:
    flight = paper(MLKEM512, armed=False)
    flight.until(Action.UPGRADE)
    flight.fly(after_s)
    seen = flight.step(blackouts=blackouts, armed=True)
    assert (seen.rule, seen.action is Action.ROLLBACK) == (rule, rule == "blackout")
    assert seen.to_suite == (MLKEM512 if rule == "blackout" else None)


def test_cooldown_ends_5_s_after_the_switch() -> None:
    flight = paper(MLKEM512, armed=False)
    flight.until(Action.UPGRADE)
    rules = [d.rule for d in flight.fly(7, armed=True)]
    assert rules == ["cooldown"] * 5 + ["nominal"] * 2


def test_the_first_row_that_applies_decides() -> None:
    order = [rule.name for rule in policy_with(strategy=PAPER).strategy.rules]
    assert order == ["safety", "emergency", *AFTER_A_SWITCH, *LATER]
    flight = paper(obedient=False)
    flight.fly(5, gap_s=2.0, c_per_min=9.0)
    rules = [
        flight.step(voltage_v=13.0, ages_s={"armed": 9.0}).rule,
        flight.step(ages_s={}).rule,
        flight.step(voltage_v=15.0).rule,
        flight.step(gap_s=0.02).rule,
        flight.step(c_per_min=0.0).rule,
    ]
    assert rules == ["safety", "emergency", "link", "stress", "nominal"]


ADDED: tuple[dict[str, Any], ...] = (
    {"loss": 0.9, "rtt_s": 5.0},
    {"advisor": Verdict.ATTACK, "attack_class": "jamming"},
    {"advisor": Verdict.ATTACK, "attack_class": "protocol"},
    {"computer": Computer(1.0, 1.0, throttled=True), "power_w": 40.0},
    {"phase": Phase.TAKE_OFF},
    {"phase": Phase.LANDING},
    {"warned": True},
    {"rate_bytes_s": 5760.0},
    {"rate_bytes_s": 100.0, "loss": 0.5},
    {"suite": "cs-mlkem1024-aesgcm-sphincs256s", "phase": Phase.TRANSIT},
)


@pytest.mark.parametrize("added", ADDED, ids=lambda added: "-".join(map(str, added)))
def test_what_the_table_does_not_know_changes_no_decision(added: dict[str, Any]) -> None:
    calm = paper(added.get("suite", MLKEM1024))
    other = paper(**{"suite": MLKEM1024, **added})
    for flight in (calm, other):
        flight.fly(400)
    seen, expected = (
        [(d.rule, d.action, d.to_suite, d.ratchet, d.reason) for d in flight.decisions]
        for flight in (other, calm)
    )
    assert seen == expected
    assert {d.ratchet for d in other.decisions} == {False}
    assert len([d for d in other.decisions if d.action is Action.REKEY]) == 6


def test_keys_become_due_after_60_s_in_which_no_input_was_missing() -> None:
    flight = paper()
    flight.fly(40)
    assert flight.step(ages_s={"thermal": 2.1}).rule == "safety"
    assert {d.rule for d in flight.fly(61, ages_s={})} == {"nominal"}
    assert flight.step().action is Action.REKEY


def test_at_most_5_rekeys_in_300_s_with_none_in_reserve() -> None:
    assert PolicyConfig().rekey_reserve > 0
    config = policy_with(strategy=PAPER).config
    assert (config.rekey_limit, config.rekey_window_s, config.rekey_reserve) == (5, 300.0, 0)
