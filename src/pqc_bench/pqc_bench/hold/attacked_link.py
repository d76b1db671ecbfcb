# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Both tunnels on one kind of link, with and without an adversary on the path."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.pair.link_emulator import fields_by_direction, link_profile
from pqc_sim.pair.ports import LOOPBACK, Ports
from pqc_sim.pair.tunnel_launch import NAMESPACES
from pqc_sim.processes.run_fault import RunFault

from pqc_bench.harness.measured_nodes import MeasuredNodes, drops_of
from pqc_bench.harness.tunnel_pair import Plan, TunnelPair
from pqc_bench.hold.adversary import DOWN, UP, Adversary
from pqc_bench.hold.aged_traffic import AgedTraffic
from pqc_bench.hold.tactics import TACTICS, passing

# Profiles by the names of links. The radio is a UDP link of its rate: an adversary reads datagrams.
LINKS = {"wifi": "wifi-edge", "lte": "lte", "satellite": "satellite", "sik": "sik-57600"}
_RADIO = "sik"
_RADIO_KBIT = 57.6
_RATE, _RADIO_RATE = 20.0, 6.0  # messages per second, each way
_MAX_AGE_S = 1.0  # the shipped value of max_age_s
_MARGIN_S = 0.2  # jitter, and applications that share two cores with both ends
_NAMED = "max_age_s"  # in the likely cause
_ESTABLISH_S, _CALM_S, _RECOVERY_S = 60.0, 6.0, 30.0
_STALE = "stale"


def attack_link(folder: Path, name: str, seconds: float) -> dict[str, Any]:
    """Hold traffic back by each tactic, in each direction; return what was delivered and said."""
    with _tunnels(folder, name, _profile(name)) as (view, traffic, adversary):
        calm = {
            way: statistics.median(ages) for way, ages in _collect(view, traffic, _CALM_S).items()
        }
        found: dict[str, Any] = {}
        for tactic in TACTICS:
            for way in (UP, DOWN):
                outcome = _attack(view, traffic, adversary, tactic, way, seconds)
                outcome["bound_s"] = round(_MAX_AGE_S + calm[way] + _MARGIN_S, 3)
                found.setdefault(tactic, {})[way] = outcome
        return {**found, "calm_s": {way: round(age, 3) for way, age in calm.items()}}


def lose_on_link(folder: Path, name: str, loss: float, seconds: float) -> dict[str, Any]:
    """Return how many fresh datagrams are refused at a loss in %, without an adversary."""
    with _tunnels(folder, name, _profile(name, loss)) as (view, traffic, _):
        ages = _collect(view, traffic, seconds)
        return {
            "fresh_refused": sum(_stale(view).values()),
            "delivered": {way: len(of_way) for way, of_way in ages.items()},
        }


def _attack(
    view: MeasuredNodes,
    traffic: AgedTraffic,
    adversary: Adversary,
    tactic: str,
    way: str,
    seconds: float,
) -> dict[str, Any]:
    _wait_for_calm(view, traffic)
    before = _stale(view)
    ages: list[float] = []
    said: set[str] = set()
    adversary.use(way, TACTICS[tactic]())
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        view.spin(0.1)
        ages += traffic.take_ages(way)
        said |= _causes(view)
    adversary.use(way, passing())
    view.spin(1.0)
    ages += traffic.take_ages(way)
    said |= _causes(view)
    refused = {end: count - before[end] for end, count in _stale(view).items()}
    return {
        "oldest_s": round(max(ages, default=0.0), 3),
        "delivered": len(ages),
        "refused": refused["gcs" if way == UP else "drone"],
        "named": any(_NAMED in cause for cause in said),
        "said": sorted(said),
    }


def _causes(view: MeasuredNodes) -> set[str]:
    causes = {f"{end}: {status.likely_cause}" for end, status in view.status.items()}
    return {cause for cause in causes if not cause.endswith(": ")}


def _stale(view: MeasuredNodes) -> dict[str, int]:
    return {end: drops_of(status)[_STALE] for end, status in view.fresh(_RECOVERY_S).items()}


def _wait_for_calm(view: MeasuredNodes, traffic: AgedTraffic) -> None:
    """Wait until fresh datagrams arrive both ways and neither end complains."""
    deadline = time.monotonic() + _RECOVERY_S
    while time.monotonic() < deadline:
        ages = _collect(view, traffic, 1.0)
        fresh = all(of_way and max(of_way) < _MAX_AGE_S for of_way in ages.values())
        if fresh and view.established and not _causes(view):
            return
    raise RunFault(f"the link didn't recover within {_RECOVERY_S:.0f} s of an attack")


def _collect(view: MeasuredNodes, traffic: AgedTraffic, seconds: float) -> dict[str, list[float]]:
    for way in (UP, DOWN):
        traffic.take_ages(way)
    view.spin(seconds)
    return {way: traffic.take_ages(way) for way in (UP, DOWN)}


@contextlib.contextmanager
def _tunnels(
    folder: Path, name: str, profile: dict[str, Any]
) -> Iterator[tuple[MeasuredNodes, AgedTraffic, Adversary]]:
    folder.mkdir()
    ports = Ports.pick()
    rate = _RADIO_RATE if name == _RADIO else _RATE
    with contextlib.ExitStack() as stack:
        adversary = stack.enter_context(Adversary(Endpoint(LOOPBACK, ports.gcs_datagram)))
        drone, gcs = (_link_parameters(ports, end) if name == _RADIO else {} for end in NAMESPACES)
        plan = Plan(
            link=profile, link_forward=adversary.endpoint, ports=ports, drone=drone, gcs=gcs
        )
        pair = stack.enter_context(TunnelPair(folder, plan))
        view = stack.enter_context(MeasuredNodes(pair.check))
        view.wait_established(_ESTABLISH_S)
        traffic = stack.enter_context(AgedTraffic(pair.applications, rate))
        _wait_for_calm(view, traffic)
        yield view, traffic, adversary


def _link_parameters(ports: Ports, end: str) -> dict[str, Any]:
    own = ports.drone_datagram if end == "drone" else ports.gcs_datagram
    values = {"type": "udp", "datagram_port": own, "rate_kbit": _RADIO_KBIT}
    if end == "drone":
        values["gcs_datagram_port"] = ports.link_datagram
    return {"links": [_RADIO], **{f"link.{_RADIO}.{key}": value for key, value in values.items()}}


def _profile(name: str, loss: float | None = None) -> dict[str, Any]:
    """Return a link's profile; with a loss in %, that takes the place of its own losses."""
    file = link_profile(LINKS[name])
    assert file is not None
    if loss is None and name != _RADIO:
        return yaml.safe_load(file.read_text(encoding="utf-8"))
    profile = fields_by_direction(file)
    for way in ("drone_to_gcs", "gcs_to_drone"):
        if name == _RADIO:
            for serial in ("mtu_bytes", "byte_error_percent"):
                profile[way].pop(serial, None)
        if loss is not None:
            profile[way] |= {"loss_percent": loss}
            profile[way].pop("burst_loss", None)
    return profile
