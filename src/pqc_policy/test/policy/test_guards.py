# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Each strategy, each way to a heavier suite, each guard, fresh and lost: the whole table."""

from __future__ import annotations

from typing import Any

import pytest
from flight import MLKEM768, MLKEM1024, Flight, policy_with, take_off
from guards import (
    EXPERT,
    PUBLISHED,
    REQUIRED,
    ROLLBACK,
    UPGRADE,
    leads_to_heavier,
)
from pqc_policy.policy.config import ExpertConfig
from pqc_policy.policy.inputs import Computer, Held, Verdict

UPGRADING = ("telemetry_aware", "expert", "paper_2025")
HOLDING = ("static", "telemetry_aware", "expert")

# A guard by its name in guards.py, beyond its threshold and beyond no other one that counts there.
GUARDS: dict[str, dict[str, Any]] = {
    "gap": {"gap_s": 1.1},
    "loss": {"loss": 0.3},
    "rtt": {"rtt_s": 1.1},
    "heating": {"c_per_min": 5.1},
    "sagging": {"mv_per_min": -510.0},
    "throttled": {"computer": Computer(0.3, throttled=True)},
    "load": {"computer": Computer(0.96)},
    "empty": {"voltage_v": 13.9},
    "hot": {"temperature_c": 80.1},
    "nearly empty": {"voltage_v": 14.1},
    "nearly hot": {"temperature_c": 75.1},
    "attack": {"advisor": Verdict.ATTACK, "attack_class": "creeping"},
    "warm": {"temperature_c": 70.1},
    "low charge": {"charge": 0.29},
    "bad link": {"loss": 0.04},
}
LOST = (*REQUIRED, "advisor", "computer")  # the last one presses nothing
SITUATIONS = {
    **GUARDS,
    **{f"lost {name}": {"ages_s": {name: 2.1}} for name in LOST},
}


def guard_of(situation: str) -> str:
    lost = situation.removeprefix("lost ")
    if lost == situation:
        return situation
    return {"advisor": "lost", "computer": "computer"}.get(lost, "required")


def calm(strategy: str, suite: str, **circumstances: Any) -> Flight:
    """Return a flight in which every input has been known, and nothing presses."""
    policy = policy_with(
        strategy=strategy,
        ceiling=MLKEM1024,
        expert=ExpertConfig(balanced_suite=MLKEM1024),
    )
    known: dict[str, Any] = {
        "advisor": Verdict.CLEAR,
        "computer": Computer(0.3),
    }
    return take_off(policy, suite=suite, **(known | circumstances))


def rises(flight: Flight, seconds: int) -> bool:
    """Return whether the flight leads to a heavier suite in the next seconds."""
    return any(leads_to_heavier(flight, decision) for decision in flight.fly(seconds))


@pytest.mark.parametrize("situation", [None, *SITUATIONS])
@pytest.mark.parametrize("strategy", UPGRADING)
def test_a_rollback_leads_to_the_heavier_suite_of_before_unless_a_guard_presses(
    strategy: str, situation: str | None
) -> None:
    flight = calm(strategy, MLKEM1024)
    flight.suite, flight.epoch, flight.keys_since_s = MLKEM768, flight.epoch + 1, flight.now_s
    flight.step()
    flight.fly(6, obedient=False, **SITUATIONS.get(situation or "", {}))
    flight.blackouts = 9
    guards = PUBLISHED if strategy == "paper_2025" else ROLLBACK
    assert rises(flight, 1) is (situation is None or guard_of(situation) not in guards)


@pytest.mark.parametrize("situation", [None, *SITUATIONS])
@pytest.mark.parametrize("strategy", UPGRADING)
def test_an_upgrade_waits_while_a_guard_of_the_strategy_presses(
    strategy: str, situation: str | None
) -> None:
    flight = calm(strategy, MLKEM768, armed=False, **SITUATIONS.get(situation or "", {}))
    own = {"paper_2025": PUBLISHED, "expert": UPGRADE | EXPERT}
    guards = own.get(strategy, UPGRADE)
    assert rises(flight, 60) is (situation is None or guard_of(situation) not in guards)


@pytest.mark.parametrize("situation", [None, *SITUATIONS])
@pytest.mark.parametrize("strategy", HOLDING)
def test_the_operator_gets_a_heavier_suite_unless_anything_presses(
    strategy: str, situation: str | None
) -> None:
    flight = calm(strategy, MLKEM768, armed=False)
    flight.fly(6, **SITUATIONS.get(situation or "", {}))
    flight.held = Held(MLKEM1024, flight.now_s + 600.0)
    assert rises(flight, 1) is (situation is None or guard_of(situation) not in ROLLBACK)
