# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the advisor's verdicts in simulated flights."""

from __future__ import annotations

import pytest
from pqc_sim.flights.recorded_flights import CRASH
from pqc_sim.flights.script import Flood, Leg, Script
from pqc_sim.flights.simulation import Simulation
from pqc_sim.physics.air import Air, Spell


def verdicts(script: Script) -> list[tuple[str, str]]:
    """Return verdict and class of attack, once a second."""
    entries = Simulation(script).fly().entries
    messages = [entry.message for entry in entries if entry.topic == "/pqc/advisor"]
    return [(message.verdict_text, message.attack_class) for message in messages]


def flight(**changes: object) -> Script:
    return Script("advised", "", ((60.0, Leg.CRUISE),), **changes)  # type: ignore[arg-type]


def test_neither_a_crash_of_the_tunnel_nor_its_new_session_is_an_attack() -> None:
    assert {verdict for verdict, _ in verdicts(CRASH)} == {"clear"}


def test_losses_that_rise_slowly_are_an_attack_in_the_end() -> None:
    spells = tuple(
        Spell(float(second), second + 1.0, up=Air(loss=second / 60.0)) for second in range(60)
    )
    seen = verdicts(flight(spells=spells))
    assert seen[0][0] == "clear"
    assert seen[-1] == ("attack", "loss")


@pytest.mark.parametrize(
    ("reason", "kind"), [("auth_fail", "forgery"), ("replay", "replay"), ("malformed", "flood")]
)
def test_a_flood_of_datagrams_that_the_tunnel_drops_is_an_attack(reason: str, kind: str) -> None:
    seen = verdicts(flight(floods=(Flood(20.0, 40.0, reason, 100.0),)))
    assert {verdict for verdict, _ in seen[:18]} == {"clear"}
    assert seen[28] == ("attack", kind)
    assert seen[-1][0] == "clear"
