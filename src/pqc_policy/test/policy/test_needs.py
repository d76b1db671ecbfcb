# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The inputs that rules declare: for the engine, and in the page of the policy."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from flight import policy_with, take_off
from pqc_policy.policy import rules
from pqc_policy.policy.inputs import INPUTS
from pqc_policy.policy.rules.needs import Needs, needs_of
from pqc_policy.policy.strategies import expert
from pqc_policy.policy.strategies.registry import STRATEGIES

PAGE = Path(__file__).resolve().parents[4] / "docs" / "policy.md"
RULES = {rule.__name__: rule for s in STRATEGIES.values() for rule in s.rules}


def test_a_rule_lacks_what_it_needs_and_of_alternatives_one_is_enough() -> None:
    needs = Needs(("link",), one_of=("battery", "thermal"), required=True)
    assert needs.lacking({"link", "thermal"}, ()) == ()
    assert needs.lacking({"thermal"}, ("armed",)) == ("link", "armed")
    assert needs.lacking({"link"}, ()) == ("battery", "thermal")
    assert str(needs) == "link, battery or temperature, all required"


def test_every_rule_declares_its_inputs_and_is_in_a_strategy() -> None:
    modules = [import_module(f"{rules.__name__}.{m.name}") for m in iter_modules(rules.__path__)]
    defined = [item for module in (*modules, expert) for item in vars(module).values()]
    declared = {rule.__name__ for rule in defined if isinstance(getattr(rule, "needs", 0), Needs)}
    assert declared - {"overdue"} == set(RULES)  # overdue is a rule of pqc_learning


@pytest.mark.parametrize("name", RULES)
def test_rules_name_inputs_that_exist(name: str) -> None:
    needs = needs_of(RULES[name])
    assert {*needs.every, *needs.one_of} <= set(INPUTS)


@pytest.mark.parametrize("name", RULES)
def test_the_page_of_the_policy_has_the_inputs_of_every_rule(name: str) -> None:
    if not PAGE.is_file():
        pytest.skip("the sources are not here")
    rows = [
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if f"| `{name}` |" in line
    ]
    needs = str(needs_of(RULES[name])) or "nothing"
    assert any(f"| {needs} |" in row for row in rows), f"| `{name}` | {needs} |"


@pytest.mark.parametrize("name", ["link", "battery", "thermal", "armed", "session"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_rule_decides_without_its_inputs(strategy: str, name: str) -> None:
    flight = take_off(policy_with(strategy=strategy), absent=frozenset({name}), loss=0.9, gap_s=9.0)
    for decision in flight.fly(40, c_per_min=9.0, temperature_c=90.0):
        if decision.rule in RULES and name != "session":
            assert decision.rule not in decision.inactive
        assert decision.missing == (name,)
