# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The verdict of `bench policy`: it follows from the paired intervals, whatever they are."""

from __future__ import annotations

from typing import Any

import pytest
from pqc_learning.comparison.differences import MEASURES, Difference, differences
from pqc_learning.comparison.verdict import NO_VERDICT, Judged, conclusions, judged
from pqc_learning.intervals import interval_name
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.suites import DEFAULT_SUITE

BASE, SHIPPED, OTHER = "static_default", PolicyConfig().strategy, "rl"
NOTHING = (0.0, 0.0, 0.0)
BETTER_LOST, WORSE_LOST = (-2.0, -3.0, -1.0), (2.0, 1.0, 3.0)
Bounds = tuple[float, float, float]


def pair(**measures: Bounds) -> dict[str, dict[str, float]]:
    """Return differences that are zero but for those given (mean, low, high)."""
    return {
        name: dict(zip(("mean", "low", "high"), measures.get(name, NOTHING), strict=True))
        for name in (*MEASURES, "hot_s")  # results have figures that tables leave out
    }


def result(pairs: dict[str, Any], switches: int = 0) -> dict[str, Any]:
    names = dict.fromkeys(name for both in pairs for name in both.split(" - "))
    strategies = {
        name: {"rekeys": {"switches": 0 if name.startswith("static") else switches}}
        for name in names
    }
    costs = {"pairs": pairs, "strategies": strategies, "min_level": 3}
    return {"flights": 1000, "costs": {"tunnel": costs}}


def default_of(pairs: dict[str, Any], switches: int = 0) -> str:
    return conclusions(result(pairs, switches))[-1]


def row_of(measure: str, pairs: dict[str, Any]) -> Judged:
    heading = MEASURES[measure].heading
    return next(one for one in judged(result(pairs)) if one.measure == heading)


@pytest.mark.parametrize(
    ("bounds", "side"), [((1.0, 0.5, 2.0), 1), ((-1.0, -2.0, -0.5), -1), ((1.0, 0.0, 2.0), 0)]
)
def test_an_interval_that_touches_zero_is_on_no_side(bounds: Bounds, side: int) -> None:
    assert Difference(*bounds).side == side
    assert (-Difference(*bounds)).side == -side


@pytest.mark.parametrize(
    ("bounds", "wins"),
    [((-0.013, -0.014, -0.012), OTHER), ((-0.013, -0.02, -0.009), ""), ((-7e-7, -9e-7, -6e-7), "")],
)
def test_less_is_read_after_a_theft_only_beyond_a_percentage_point(
    bounds: Bounds, wins: str
) -> None:
    pairs = {f"{SHIPPED} - {BASE}": pair(), f"{OTHER} - {BASE}": pair(exposed_a4=bounds)}
    assert row_of("exposed_a4", pairs).wins == (f"{wins} (-0.013)" if wins else "none")
    assert (f"nowhere worse: {OTHER}" in default_of(pairs)) is bool(wins)


def test_a_pair_is_turned_round_if_the_baseline_comes_first() -> None:
    pairs = {f"{BASE} - {OTHER}": pair(lost_to_rekeys=(2.0, 1.0, 4.0)), "a - b": pair()}
    found = differences(pairs, BASE)
    assert list(found) == [OTHER]
    assert found[OTHER]["lost_to_rekeys"] == Difference(-2.0, -4.0, -1.0)


def test_less_loss_wins_and_fewer_emergencies_met_hurt() -> None:
    pairs = {
        f"{SHIPPED} - {BASE}": pair(lost_to_rekeys=(-2.0, -3.0, -1.0)),
        f"{OTHER} - {BASE}": pair(lost_to_rekeys=WORSE_LOST, emergencies_met=(-0.2, -0.3, -0.1)),
    }
    row = row_of("lost_to_rekeys", pairs)
    assert (row.wins, row.nothing, row.hurts) == (f"{SHIPPED} (-2)", "none", f"{OTHER} (+2)")
    row = row_of("emergencies_met", pairs)
    assert (row.wins, row.nothing, row.hurts) == ("none", SHIPPED, f"{OTHER} (-0.2)")
    row = row_of("delayed", pairs)
    assert (row.wins, row.nothing, row.hurts) == ("none", "all 2", "none")


def test_neither_prices_nor_baselines_are_judged() -> None:
    prices = dict.fromkeys(("rekeys_failed", "air_kb", "energy_j"), (1.0, 0.5, 2.0))
    pairs = {
        f"static_heavy - {BASE}": pair(lost_to_rekeys=WORSE_LOST),
        f"rotate - {BASE}": pair(lost_to_rekeys=WORSE_LOST),
        f"{OTHER} - {BASE}": pair(**prices),
    }
    rows = judged(result(pairs))
    assert {row.nothing for row in rows} == {OTHER}
    assert len(rows) == len(MEASURES) - len(prices)


LESS_READ = (-0.6, -0.7, -0.5)


def test_the_strategy_stays_unless_another_lets_a_thief_read_less_and_hurts_nowhere() -> None:
    pairs = {f"{SHIPPED} - {BASE}": pair(), f"{OTHER} - {BASE}": pair(lost_to_rekeys=BETTER_LOST)}
    text = default_of(pairs)
    assert f"the suite stays {DEFAULT_SUITE}, with floor 3" in text
    assert f"The strategy stays {SHIPPED}: none is better without being worse." in text
    (effect, _) = conclusions(result(pairs))
    assert "no adaptive strategy changed the suite in 1,000 flights" in effect
    pairs[f"{OTHER} - {BASE}"] = pair(exposed_a4=LESS_READ)
    assert default_of(pairs).endswith(f"and nowhere worse: {OTHER}.")
    pairs[f"{OTHER} - {BASE}"] = pair(exposed_a4=LESS_READ, lost_to_rekeys=WORSE_LOST)
    assert "none is better without being worse" in default_of(pairs)


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ({"wifi": 0.1, "lte": 0.05, "thin_radio": 0.4}, "and nowhere worse: layered."),
        ({"wifi": 0.1, "lte": 0.101}, f"stays {SHIPPED}: layered is better, but misses a goal."),
        ({"thin_radio": 0.41}, f"stays {SHIPPED}: layered is better, but misses a goal."),
    ],
)
def test_layered_must_meet_its_goals_on_each_link(shares: dict[str, float], words: str) -> None:
    pairs = {f"{SHIPPED} - {BASE}": pair(), f"layered - {BASE}": pair(exposed_a4=LESS_READ)}
    compared = result(pairs)
    compared["costs"]["tunnel"]["links"] = {
        name: {"flights": 9, "layered": {"A4": share}} for name, share in shares.items()
    }
    (*_, goals, default) = conclusions(compared)
    assert default.endswith(words)
    assert ("misses" in goals) is ("misses" in words)


def test_a_heavier_suite_does_not_replace_the_shipped_strategy() -> None:
    pairs = {f"{SHIPPED} - {BASE}": pair(), f"static_heavy - {BASE}": pair(exposed_a4=LESS_READ)}
    assert f"The strategy stays {SHIPPED}" in default_of(pairs)


def test_nothing_is_said_of_a_shipped_strategy_that_was_not_compared() -> None:
    text = default_of({f"{OTHER} - {BASE}": pair()})
    assert text.endswith(f"The strategy {SHIPPED} was not compared.")


@pytest.mark.parametrize(
    ("measures", "words"),
    [
        ({"lost_to_rekeys": BETTER_LOST}, f"Wins without hurting: {OTHER}."),
        (
            {"lost_to_rekeys": BETTER_LOST, "seconds_below_level_3": (9.0, 8.0, 10.0)},
            "Each that wins in one measure hurts in another.",
        ),
        ({"lost_to_rekeys": WORSE_LOST}, "None wins, and some hurt."),
        ({}, "None wins or hurts."),
    ],
)
def test_each_cost_set_has_a_sentence(measures: dict[str, Bounds], words: str) -> None:
    (effect, _) = conclusions(result({f"{OTHER} - {BASE}": pair(**measures)}, switches=1))
    assert effect == f"tunnel: the suite was changed in flight by {OTHER}. {words}"


@pytest.mark.parametrize(("flights", "verdict"), [(2, False), (4, False), (7, False), (8, True)])
def test_flights_that_may_all_agree_by_chance_give_no_verdict(flights: int, verdict: bool) -> None:
    few = result({f"{SHIPPED} - {BASE}": pair(lost_to_rekeys=BETTER_LOST)}) | {"flights": flights}
    assert bool(judged(few)) is verdict
    sentences = conclusions(few)
    assert any("The default" in one for one in sentences) is verdict
    if not verdict:
        (why,) = sentences
        assert why.startswith(f"There is no verdict from {flights} flights: in one of 6 ")
        assert "--flights 8 or more" in why


def test_an_interval_of_few_flights_is_not_called_one_of_95_percent() -> None:
    names = [interval_name(count) for count in (2, 4, 5, 6, 1000)]
    assert names == ["50 % interval", "87.5 % interval", "93.8 % interval", *2 * ["95 % interval"]]


def test_without_the_baseline_there_is_no_verdict() -> None:
    compared = result({f"{OTHER} - {SHIPPED}": pair()})
    assert conclusions(compared) == [NO_VERDICT]
    assert judged(compared) == []
