# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the closed loop's model makes of the same flight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from pqc_learning.closed_loop.contestants import contestants
from pqc_learning.closed_loop.cost_set import cost_sets
from pqc_learning.closed_loop.flight_plan import FlightPlan, PreparedFlight
from pqc_learning.closed_loop.fly import Flight
from pqc_sim.flights.script import Leg, Script
from pqc_sim.pair.link_emulator import fields_by_direction
from pqc_sim.pair.links import SERIAL, parse_links
from pqc_sim.physics.air import Air
from pqc_sim.physics.timeline import steady

from pqc_bench.harness.blaster import DIRECTIONS
from pqc_bench.layers.protection_seen import class_of

_TEMPERATE_C = 15.0
# The kinds of links in the model that are not thin.
_KINDS = {"wifi": "wifi", "lte": "lte", "lte-handover": "lte_handover"}
_THIN = "thin_radio"
# A slow link has 110 messages of the vehicle a second, which the tunnel puts together: so many
# datagrams, as the model has them, are as long.
_PACKETS_PER_S = {_THIN: 80.0}
# The policy decides once a second: what it waits for may come just after a decision or before. The
# first decision that has a report of the link comes one or two seconds after the session's begin.
_CYCLE_S = 1.0
_AGE_S = 0.5 * _CYCLE_S  # of the session, a second before that decision


def modelled_seconds(link: str, strategy: str, seconds: float) -> dict[str, float]:
    """Return the seconds to each class of secrets in a flight over the link of a profile."""
    plan = _plan(link, seconds)
    contestant = "static_default" if strategy == "static" else strategy
    flight = Flight(PreparedFlight(plan), contestants()[contestant], cost_sets()["tunnel"])
    flight.fly()
    found: dict[str, float] = {}
    for epoch in flight.tunnel.epochs:
        for one in epoch.mixed:
            name = class_of(one.family, one.form, one.key)
            found.setdefault(name, round(max(0.0, epoch.began_s + _AGE_S), 1))
    return found


def differences(
    flights: Sequence[Mapping[str, float]], modelled: Mapping[str, float]
) -> dict[str, float]:
    """Return by how much the model is wrong, as a share of what was measured, for each class.

    Of several flights it is the distance to the nearest end of their interval. Times within a cycle
    of the policy are equal. A class that some flights lack has no latest time; one that all of them
    or the model lack differs by 1.
    """
    found = {}
    for name in sorted({*modelled, *(name for one in flights for name in one)}):
        ours = [one[name] for one in flights if name in one]
        theirs = modelled.get(name)
        if not ours or theirs is None:
            found[name] = 1.0
            continue
        most = max(ours) if len(ours) == len(flights) else inf
        end = min(max(theirs, min(ours)), most)
        apart_s = abs(theirs - end)
        found[name] = round(apart_s / max(end, _CYCLE_S), 3) if apart_s > _CYCLE_S else 0.0
    return found


def _plan(link: str, seconds: float) -> FlightPlan:
    (emulated,) = parse_links(link)
    profile = fields_by_direction(emulated.profile)
    kind = _KINDS.get(link, _THIN)
    up, down = (profile[way]["rate_bits_per_s"] / 8.0 for way in DIRECTIONS)
    # As the tunnel knows it: a start and a stop bit surround each byte on a serial line.
    thin = emulated.baud / 10.0 if emulated.type == SERIAL else None
    script = Script(
        name=link,
        about="",
        mission=((seconds, Leg.HOVER),),
        ambient_c=steady(_TEMPERATE_C),
        air=_air(profile[DIRECTIONS[0]]),
    )
    packets = {"packets_per_s": _PACKETS_PER_S[kind]} if kind in _PACKETS_PER_S else {}
    return FlightPlan(
        script,
        rate_bytes_s=thin,
        down_bytes_s=down,
        up_bytes_s=up,
        link=kind,
        session_age_s=_AGE_S,
        **packets,
    )


def _air(way: Mapping[str, Any]) -> Air:
    spread_s = way.get("jitter_ms", 0.0) / 1e3
    outages = way.get("outages") or [{"every_ms": 0, "length_ms": 0}]
    return Air(
        loss=way.get("loss_percent", 0.0) / 100.0,
        delay_s=way.get("delay_ms", 0.0) / 1e3 + spread_s / 2.0,
        jitter_s=spread_s / 2.0,  # whose half of a normal distribution varies as much
        out_every_s=outages[0]["every_ms"] / 1e3,
        out_s=outages[0]["length_ms"] / 1e3,
    )
