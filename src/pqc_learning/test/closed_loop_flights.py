# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Flights in a closed loop for tests."""

from __future__ import annotations

from typing import Any

from pqc_learning.closed_loop.contestants import contestants
from pqc_learning.closed_loop.cost_set import cost_sets
from pqc_learning.closed_loop.flight_plan import FlightPlan, PreparedFlight
from pqc_learning.closed_loop.fly import Flight
from pqc_learning.closed_loop.outcome import Outcome
from pqc_policy.policy.decision import Decision
from pqc_sim.flights.script import Leg, Script
from pqc_sim.physics.timeline import steady


def plan(
    seconds: float = 260.0, *, plan: dict[str, Any] | None = None, **script: Any
) -> FlightPlan:
    """Return a cruise over a clean link, but for what is given."""
    values = {
        "name": "test",
        "about": "",
        "mission": ((seconds, Leg.CRUISE),),
        "ambient_c": steady(15.0),
        **script,
    }
    return FlightPlan(Script(**values), **(plan or {}))


def fly(
    prepared: PreparedFlight, strategy: str = "static_default", costs: str = "tunnel"
) -> Outcome:
    """Fly once."""
    return Flight(prepared, contestants()[strategy], cost_sets()[costs]).fly()


def decisions(
    prepared: PreparedFlight, strategy: str = "telemetry_aware", costs: str = "tunnel"
) -> list[Decision]:
    made: list[Decision] = []
    Flight(
        prepared,
        contestants()[strategy],
        cost_sets()[costs],
        watch=lambda decision, _: made.append(decision),
    ).fly()
    return made
