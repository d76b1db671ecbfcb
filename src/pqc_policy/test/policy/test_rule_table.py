# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The table of the rules: nothing that reads it may be silent about one of them."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from pkgutil import iter_modules

import pytest
from flight import policy_with, take_off
from pqc_policy.policy import guards, strategies, wishes
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.explain.explain import explain
from pqc_policy.policy.inputs import INPUTS
from pqc_policy.policy.rule import Needs, Rule
from pqc_policy.policy.strategies.registry import STRATEGIES

PAGE = Path(__file__).resolve().parents[4] / "docs" / "policy.md"
RULES = {rule.name: rule for s in STRATEGIES.values() for rule in s.rules}
OF_STRATEGIES = sorted((name, rule.name) for name, s in STRATEGIES.items() for rule in s.wishes)


def test_a_rule_lacks_what_it_needs_and_of_alternatives_one_is_enough() -> None:
    needs = Needs(("link",), one_of=("battery", "thermal"), required=True)
    assert needs.lacking({"link", "thermal"}, ()) == ()
    assert needs.lacking({"thermal"}, ("armed",)) == ("link", "armed")
    assert needs.lacking({"link"}, ()) == ("battery", "thermal")
    assert str(needs) == "link, battery or temperature, all required"


def test_every_rule_is_in_a_strategy() -> None:
    modules = [
        import_module(f"{room.__name__}.{module.name}")
        for room in (guards, wishes, strategies)
        for module in iter_modules(room.__path__)
    ]
    found = {i.name for m in modules for i in vars(m).values() if isinstance(i, Rule)}
    assert found - {"overdue"} == set(RULES)  # overdue is a rule of pqc_learning


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_strategy_but_that_of_the_paper_leaves_a_guard_out(strategy: str) -> None:
    own = STRATEGIES[strategy]
    alike = (own.before, own.after) == (guards.BEFORE, guards.AFTER)
    assert alike is (strategy != "paper_2025")


@pytest.mark.parametrize("name", RULES)
def test_a_rule_has_inputs_that_exist_values_that_exist_and_a_sentence(name: str) -> None:
    rule = RULES[name]
    assert {*rule.needs.every, *rule.needs.one_of} <= set(INPUTS)
    assert all(attrgetter(number)(PolicyConfig()) is not None for number in rule.numbers)
    assert rule.sentence.endswith(".") and rule.sentence != name


@pytest.mark.parametrize("name", RULES)
def test_the_page_of_the_policy_has_the_inputs_of_every_rule(name: str) -> None:
    if not PAGE.is_file():
        pytest.skip("the sources are not here")
    rows = [
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if f"| `{name}` |" in line
    ]
    needs = str(RULES[name].needs) or "nothing"
    assert any(f"| {needs} |" in row for row in rows), f"| `{name}` | {needs} |"


@pytest.mark.parametrize(("strategy", "name"), OF_STRATEGIES)
def test_an_explanation_says_what_the_rule_that_decided_does_and_its_values(
    strategy: str, name: str
) -> None:
    policy = policy_with(strategy=strategy)
    flight = take_off(policy)
    rule = next(rule for rule in policy.strategy.rules if rule.name == name)
    decision = replace(flight.decisions[-1], rule=name)
    text = explain(decision, policy, flight.state)
    assert f"Rule {name}: {rule.sentence[0].lower()}{rule.sentence[1:-1]}" in text
    assert all(number in text for number in rule.numbers)


@pytest.mark.parametrize("name", ["link", "battery", "thermal", "armed", "session"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_rule_decides_without_its_inputs(strategy: str, name: str) -> None:
    flight = take_off(policy_with(strategy=strategy), absent=frozenset({name}), loss=0.9, gap_s=9.0)
    for decision in flight.fly(40, c_per_min=9.0, temperature_c=90.0):
        if decision.rule in RULES and name != "session":
            assert decision.rule not in decision.inactive
        assert decision.missing == (name,)
