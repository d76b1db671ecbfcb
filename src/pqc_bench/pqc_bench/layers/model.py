# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the closed loop's model makes of the same flight."""

from __future__ import annotations

from collections.abc import Mapping
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
_PACKETS_PER_S = {_THIN: 20.0}
# Both the policy and the status come once a second.
_RESOLUTION_S = 2.0


def modelled_seconds(link: str, strategy: str, seconds: float) -> dict[str, float]:
    """Return the seconds to each class of secrets in a flight over the link of a profile."""
    plan = _plan(link, seconds)
    contestant = "static_default" if strategy == "static" else strategy
    flight = Flight(PreparedFlight(plan), contestants()[contestant], cost_sets()["tunnel"])
    flight.fly()
    found: dict[str, float] = {}
    for epoch in flight.tunnel.epochs:
        for one in epoch.mixed:
            # The session is there when the policy begins.
            name = class_of(one.family, one.form, one.key)
            found.setdefault(name, round(max(epoch.began_s, 0.0), 1))
    return found


def differences(measured: Mapping[str, float], modelled: Mapping[str, float]) -> dict[str, float]:
    """Return by how much the model is wrong, as a share of what was measured, for each class.

    Times within two seconds of each other are equal. A class that only one has differs by 1.
    """
    found = {}
    for name in sorted({*measured, *modelled}):
        ours, theirs = measured.get(name), modelled.get(name)
        if ours is None or theirs is None:
            found[name] = 1.0
        else:
            apart_s = abs(theirs - ours)
            share = apart_s / max(ours, _RESOLUTION_S)
            found[name] = round(share, 3) if apart_s > _RESOLUTION_S else 0.0
    return found


def _plan(link: str, seconds: float) -> FlightPlan:
    (emulated,) = parse_links(link)
    profile = fields_by_direction(emulated.profile)
    kind = _KINDS.get(link, _THIN)
    # As the tunnel knows it: a start and a stop bit surround each byte on a serial line.
    rate = min(profile[way]["rate_bits_per_s"] for way in DIRECTIONS) / 8.0
    rate = emulated.baud / 10.0 if emulated.type == SERIAL else rate
    script = Script(
        name=link,
        about="",
        mission=((seconds, Leg.HOVER),),
        ambient_c=steady(_TEMPERATE_C),
        air=_air(profile[DIRECTIONS[0]]),
    )
    rates: dict[str, Any] = {"rate_bytes_s": rate} if kind == _THIN else {}
    if kind in _PACKETS_PER_S:
        rates["packets_per_s"] = _PACKETS_PER_S[kind]
    return FlightPlan(script, link=kind, **rates)


def _air(way: Mapping[str, Any]) -> Air:
    spread_s = way.get("jitter_ms", 0.0) / 1e3
    outages = way.get("outages") or [{"every_ms": 0, "length_ms": 0}]
    return Air(
        loss=way.get("loss_percent", 0.0) / 100.0,
        delay_s=way.get("delay_ms", 0.0) / 1e3 + spread_s / 2.0,
        jitter_s=spread_s / 4.0,
        out_every_s=outages[0]["every_ms"] / 1e3,
        out_s=outages[0]["length_ms"] / 1e3,
    )
