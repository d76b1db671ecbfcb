# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Both tunnels on one kind of link, with and without an adversary on the path."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from math import nan
from pathlib import Path
from typing import Any

import yaml
from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.pair.link_emulator import LinkEmulator, fields_by_direction, link_profile
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.ports import free_ports

from pqc_bench.harness.live_pair import ENDS, LivePair
from pqc_bench.harness.places import ATTACKER, DRONE, GROUND
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
_CALM_S, _POLL_S = 6.0, 0.1
# A rate that was found during an attack is forgotten within two minutes (decision 0026).
_RECOVERY_S = 150.0
_COUNTED_S = 0.2  # the counters of a status may be 100 ms old


@dataclass(frozen=True)
class _AttackedLink:
    """Both ends, the applications' traffic, and the adversary on the path."""

    pair: LivePair
    traffic: AgedTraffic
    adversary: Adversary

    def causes(self) -> set[str]:
        causes = {end: self.pair.tunnels.peer(end)["likely_cause"] for end in ENDS}
        return {f"{end}: {cause}" for end, cause in causes.items() if cause}

    def stale(self) -> dict[str, int]:
        """Return how many datagrams each end has refused as too old."""
        time.sleep(_COUNTED_S)
        peers = {end: self.pair.tunnels.peer(end) for end in ENDS}
        return {end: peer["traffic"]["drops"]["stale"] for end, peer in peers.items()}

    def collect(self, seconds: float) -> dict[str, list[float]]:
        """Return the ages of what is delivered from now on."""
        for way in (UP, DOWN):
            self.traffic.take_ages(way)
        time.sleep(seconds)
        return {way: self.traffic.take_ages(way) for way in (UP, DOWN)}

    def limited(self) -> bool:
        """Return whether an end still believes in a rate that it found: its datagrams wait."""
        paths = [path for end in ENDS for path in self.pair.tunnels.peer(end)["paths"]]
        return any(path["rate_source"] == "saturation" for path in paths)

    def wait_for_calm(self) -> None:
        """Wait until fresh datagrams arrive both ways, and no end complains or limits itself."""
        deadline = time.monotonic() + _RECOVERY_S
        while time.monotonic() < deadline:
            ages = self.collect(1.0)
            fresh = all(of_way and max(of_way) < _MAX_AGE_S for of_way in ages.values())
            causes = self.causes()
            if fresh and not causes and not self.limited():
                return
        oldest = ", ".join(f"{way} {max(ages[way], default=nan):.2f} s" for way in ages)
        raise RunFault(
            f"the link didn't recover within {_RECOVERY_S:.0f} s of an attack: the oldest datagram "
            f"is {oldest} old, and the ends say: {'; '.join(sorted(causes)) or 'nothing'}"
        )

    def attack(self, tactic: str, way: str, seconds: float) -> dict[str, Any]:
        """Treat a direction by a tactic; return what was delivered, refused and said."""
        self.wait_for_calm()
        before = self.stale()
        ages: list[float] = []
        said: set[str] = set()
        self.adversary.use(way, TACTICS[tactic]())
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            time.sleep(_POLL_S)
            ages += self.traffic.take_ages(way)
            said |= self.causes()
        self.adversary.use(way, passing())
        time.sleep(1.0)
        ages += self.traffic.take_ages(way)
        said |= self.causes()
        refused = {end: count - before[end] for end, count in self.stale().items()}
        return {
            "oldest_s": round(max(ages, default=0.0), 3),
            "delivered": len(ages),
            "refused": refused[GROUND if way == UP else DRONE],
            "named": any(_NAMED in cause for cause in said),
            "said": sorted(said),
        }


def attack_link(folder: Path, name: str, seconds: float) -> dict[str, Any]:
    """Hold traffic back by each tactic, in each direction; return what was delivered and said."""
    with _tunnels(folder, name, _profile(name)) as link:
        calm = {way: statistics.median(ages) for way, ages in link.collect(_CALM_S).items()}
        found: dict[str, Any] = {}
        for tactic in TACTICS:
            for way in (UP, DOWN):
                outcome = link.attack(tactic, way, seconds)
                outcome["bound_s"] = round(_MAX_AGE_S + calm[way] + _MARGIN_S, 3)
                found.setdefault(tactic, {})[way] = outcome
        calm_s = {way: round(age, 3) for way, age in calm.items()}
        return {**found, "calm_s": calm_s, "network": link.pair.places.network}


def lose_on_link(folder: Path, name: str, loss: float, seconds: float) -> dict[str, Any]:
    """Return how many fresh datagrams are refused at a loss in %, without an adversary."""
    with _tunnels(folder, name, _profile(name, loss)) as link:
        ages = link.collect(seconds)
        return {
            "fresh_refused": sum(link.stale().values()),
            "delivered": {way: len(of_way) for way, of_way in ages.items()},
        }


@contextlib.contextmanager
def _tunnels(folder: Path, name: str, profile: dict[str, Any]) -> Iterator[_AttackedLink]:
    radio = {"links": [_RADIO], f"link.{_RADIO}.rate_kbit": _RADIO_KBIT}
    with contextlib.ExitStack() as stack:
        pair = LivePair(folder, stack, radio if name == _RADIO else None)
        adversary = stack.enter_context(Adversary(pair.places, pair.link(GROUND)))
        emulator = LinkEmulator(folder, 0.0, 1, profile=profile)
        listening = Endpoint(pair.places.at(ATTACKER), free_ports(1)[0])
        stack.callback(emulator.stop)
        with pair.places.inside(ATTACKER):
            emulator.start(listening, adversary.endpoint)
        pair.start(listening)
        rate = _RADIO_RATE if name == _RADIO else _RATE
        link = _AttackedLink(pair, stack.enter_context(AgedTraffic(pair, rate)), adversary)
        link.wait_for_calm()
        yield link


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
