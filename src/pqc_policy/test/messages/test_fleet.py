# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections import Counter

import pytest
from pqc_policy.messages.content import Kind
from pqc_policy.messages.fleet import WARNING, FleetWarnings, is_warning

from pqc_msgs.msg import DroneDecision

ATTACK = DroneDecision(advisor_verdict="attack")
DRONES = ("alpha/", "beta/", "gamma/")


def test_a_warning_goes_to_every_drone_but_the_one_that_reports_the_attack() -> None:
    assert FleetWarnings().warned(DRONES, "beta/", ATTACK, 100.0) == ["alpha/", "gamma/"]
    assert FleetWarnings().warned(("",), "", ATTACK, 100.0) == [], "a drone alone"


@pytest.mark.parametrize("verdict", ["", "clear", "suspicious"])
def test_a_warning_needs_an_attack(verdict: str) -> None:
    told = DroneDecision(advisor_verdict=verdict)
    assert FleetWarnings().warned(DRONES, "beta/", told, 100.0) == []


def test_a_drone_is_warned_once_in_ten_seconds_whoever_reports_how_often() -> None:
    warnings = FleetWarnings()
    counts = Counter(
        drone
        for second in range(100)
        for by in ("alpha/", "beta/", "alpha/")
        for drone in warnings.warned(DRONES, by, ATTACK, 1000.0 + second)
    )
    assert counts == dict.fromkeys(DRONES, 10)


def test_a_warning_is_a_message_of_its_own() -> None:
    assert (WARNING.kind, WARNING.content) == (Kind.WARNING, b"\x01")
    assert is_warning(WARNING.content + b"\x07"), "bytes of a later version"
    assert not is_warning(b"")
    assert not is_warning(b"\x02")
