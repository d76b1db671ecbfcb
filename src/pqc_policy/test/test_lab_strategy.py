# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A laboratory adds a strategy in a package of its own, as an entry point."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pqc_policy.parameters import ParameterFault
from pqc_policy.plugins import LEARNED_STRATEGIES
from pqc_policy.policy.strategies.registry import find_strategy

STRATEGY = """
from pqc_policy.policy.decision import Action, Proposal
from pqc_policy.policy.rule import rule
from pqc_policy.policy.strategies.strategy import Strategy
from pqc_policy.policy.wishes.rekey import rekey

@rule("session", "thermal")
def cool_only(s):
    if s.temperature_c < 40.0:
        return None
    return Proposal(Action.HOLD, "Warm.")

@rule()
def breaks(s):
    return s.no_such_thing

@rule()
def unsafe(s):
    return Proposal(Action.REKEY, "Why not.", target="cs-none")

@rule("altitude")
def higher(s):
    return None

@rule()
def answers(s):
    return 7

def bare(s):
    return None

careful = Strategy((cool_only, rekey), {"cooldown_s": 9.0})
no_strategy = 7
failing = Strategy((breaks,), before=(), after=())
wrong = Strategy((answers,))
reckless = Strategy((unsafe,))
misspelt = Strategy((), {"cooldown": 9.0})
blind = Strategy((higher,))
nameless = Strategy((bare,))
"""
PROGRAM = """
from dataclasses import replace
from flight import policy_with, take_off
from pqc_policy.policy.config import STRATEGY_NAMES
from pqc_policy.policy.explain.explain import explain

assert "careful" in STRATEGY_NAMES
policy = policy_with(strategy="careful")
flight = take_off(policy)
print(flight.decisions[-1].rule, policy.config.cooldown_s)
print(flight.fly(80, ages_s={"thermal": 9.0})[-1].inactive, len(flight.renewed_s))
text = explain(flight.decisions[-1], policy, flight.state)
print(text[:16], "cool_only may choose otherwise in each second" in text)
for name in ("failing", "wrong", "reckless"):
    decision = take_off(policy_with(strategy=name)).decisions[-1]
    print(decision.action, decision.reason)
print(take_off(policy_with(strategy="failing")).fly(4, temperature_c=90.0)[-1].rule)
for name in ("broken", "misspelt", "blind", "nameless", "absent"):
    try:
        policy_with(strategy=name)
    except ValueError as fault:
        print(fault)
"""
NAMES = ("careful", "failing", "wrong", "reckless", "misspelt", "blind", "nameless")
ENTRIES = "\n".join(
    [
        "[pqc_policy.strategies]",
        *(f"{name} = lab_rules:{name}" for name in NAMES),
        "broken = lab_rules:no_strategy",
        "absent = lab_rules:missing",
        "",
    ]
)


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """Return a folder with an installed package of a laboratory."""
    (tmp_path / "lab_rules.py").write_text(STRATEGY, encoding="utf-8")
    metadata = tmp_path / "lab_rules-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: lab-rules\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRIES, encoding="utf-8")
    return tmp_path


def test_a_strategy_of_another_package_decides_with_its_own_rules(lab: Path) -> None:
    here = str(Path(__file__).parent)
    path = os.pathsep.join([str(lab), here, *sys.path])
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == [
        "cool_only 9.0",
        "('cool_only',) 1",
        "The policy keeps True",
        "HOLD The rule breaks fails: 'Situation' object has no attribute 'no_such_thing'.",
        "HOLD The rule answers fails: it returns int, which is no Proposal.",
        "HOLD The rule unsafe fails: it proposes cs-none, which may not be chosen.",
        "emergency",
        "The entry point broken is no Strategy.",
        "The strategy misspelt sets cooldown, which is no parameter.",
        "The strategy blind needs altitude, which is no input.",
        "The strategy nameless has a wish that is no rule.",
        "The strategy absent can't be loaded: module 'lab_rules' has no attribute 'missing'.",
    ]


@pytest.mark.parametrize("name", LEARNED_STRATEGIES)
def test_a_strategy_that_is_not_installed_is_refused_with_the_name_of_its_package(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pqc_policy.plugins.entry_points", lambda **_: ())
    with pytest.raises(ParameterFault) as refused:
        find_strategy(name)
    sentence = f"The strategy {name} is in the package pqc_learning: install it."
    assert str(refused.value) == sentence
