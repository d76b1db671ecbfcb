# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The conditions of the demonstration's flights."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pqc_policy.policy.config import STRATEGY_NAMES
from pqc_policy.policy.suites import find_suite
from pqc_policy.sensing.computer.thermal_zones import processor_now
from pqc_sim.demo.demo_command import STRATEGIES as NAMED
from pqc_sim.demo.demo_flights import FLIGHTS, DemoFlight, FlightConditions, kill_drone_tunnel
from pqc_sim.demo.subjects import SUBJECTS
from pqc_sim.pair.link_emulator import NO_LINK
from pqc_sim.pair.programs import link_profiles


def test_a_lost_sensor_is_absent_and_comes_back(tmp_path: Path) -> None:
    conditions = FlightConditions(DemoFlight("", 10.0, "", sensor_lost_s=(3.0, 5.0)), tmp_path)
    seen = []
    for at_s in (2.9, 3.0, 4.9, 5.0):
        conditions.update(at_s)
        zone = processor_now(tmp_path)
        seen.append(zone and round(zone.temperature_c, 1))
    assert seen == [52.0, None, None, 52.0]


def test_a_crash_comes_once(tmp_path: Path) -> None:
    conditions = FlightConditions(DemoFlight("", 10.0, "", crash_at_s=4.0), tmp_path)
    assert [conditions.crash_due(at_s) for at_s in (3.9, 4.0, 4.1)] == [False, True, False]


def test_without_a_tunnel_none_is_killed() -> None:
    assert not kill_drone_tunnel(os.getpid())


@pytest.mark.parametrize("name", FLIGHTS)
def test_every_flight_names_a_suite_and_a_link_that_exist(name: str) -> None:
    flight = FLIGHTS[name]
    assert flight.suite is not None and find_suite(flight.suite) is not None
    assert flight.link == NO_LINK or flight.link in link_profiles()
    assert 0.0 <= flight.charge_percent <= 100.0
    assert flight.subject in {*SUBJECTS, "advisor"}


def test_the_command_names_every_strategy() -> None:
    assert set(NAMED) == set(STRATEGY_NAMES)
