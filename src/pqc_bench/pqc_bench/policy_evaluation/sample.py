# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which drawn flights can be flown on real nodes, and the link emulator's conditions for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

from pqc_learning.closed_loop.distribution import HELD_OUT, draw
from pqc_learning.closed_loop.flight_plan import FlightPlan
from pqc_sim.physics.air import Air

# The emulator has no such troubles at given times, and a thin link is another set of parameters.
_NOT_EMULATED = {"jammer", "fades", "slow_link", "adversary", "crash"}
# The nodes that publish these have no input whose loss would silence them.
_NOT_SILENCED = {"link", "advisor"}
_MS = 1000.0
# Uniform jitter from 0 to this many times the spread of the model has its mean.
_SPREADS = 1.6


def sample(flights: int, seconds: float) -> Iterator[tuple[int, FlightPlan]]:
    """Yield the first held-out flights that can be flown, with their seeds, cut to a length."""
    found = 0
    for seed in count(HELD_OUT):
        plan = draw(seed)
        if _can_be_flown(plan):
            yield seed, shortened(plan, seconds)
            found += 1
        if found == flights:
            return


def _can_be_flown(plan: FlightPlan) -> bool:
    silent = {topic for silence in plan.script.silences for topic in silence.topics}
    emulated = plan.rate_bytes_s is None and not _NOT_EMULATED & set(plan.trouble)
    return emulated and not _NOT_SILENCED & silent


def shortened(plan: FlightPlan, seconds: float) -> FlightPlan:
    """Return a flight that ends after a time."""
    legs, left_s = [], seconds
    for length_s, leg in plan.script.mission:
        if left_s > 0.0:
            legs.append((min(length_s, left_s), leg))
            left_s -= length_s
    return replace(plan, script=replace(plan.script, mission=tuple(legs)))


def conditions(plan: FlightPlan, lead_s: float) -> dict[str, Any]:
    """Return fields of a link profile; the flight begins `lead_s` after the emulator."""
    air: Air = plan.script.air
    outages: list[dict[str, int]] = []
    if air.out_every_s > 0.0:
        start_s = lead_s + air.out_every_s - air.out_s
        outages.append(_window(start_s, air.out_s) | {"every_ms": round(air.out_every_s * _MS)})
    seconds = plan.script.seconds
    for spell in plan.script.spells:
        if spell.start_s < seconds:
            outages.append(_window(lead_s + spell.start_s, spell.end_s - spell.start_s))
    fields: dict[str, Any] = {
        "delay_ms": round(air.delay_s * _MS, 3),
        "jitter_ms": round(_SPREADS * air.jitter_s * _MS, 3),
        "outages": outages,
    }
    if air.burst_every_s > 0.0:
        between = air.burst_every_s * plan.packets_per_s
        fields["burst_loss"] = {
            "enter_percent": round(100.0 / between, 4),
            "leave_percent": round(100.0 / max(air.burst_s * plan.packets_per_s, 1.0), 4),
            "loss_percent": 100.0 * air.burst_loss,
        }
    return fields


def _window(start_s: float, length_s: float) -> dict[str, int]:
    return {"start_ms": round(start_s * _MS), "length_ms": round(length_s * _MS)}
