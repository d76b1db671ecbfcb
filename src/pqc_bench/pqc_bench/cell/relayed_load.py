# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The load of programs outside of this process: MAVProxy at both ends, or a vehicle of one's own.

    vehicle <-> [MAVProxy] <-> this <-> tunnel == tunnel <-> this <-> [MAVProxy]

Both places beside the tunnel are in this process, so that each datagram's way through the tunnel is
timed by one clock and compared byte for byte, whatever the programs do.
"""

from __future__ import annotations

import select
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from pqc_sim.datagrams.counting import FlowCount

from pqc_bench.cell.control import Control
from pqc_bench.cell.distribution import distribution
from pqc_bench.cell.flow_match import FlowMatch
from pqc_bench.cell.mavlink_load import DRAIN_S, STRAGGLERS_S, mavlink_of_ends
from pqc_bench.cell.outside import OutsideEnd, drone_end, ground_end
from pqc_bench.cell.seen_vehicle import SeenVehicle
from pqc_bench.cell.stamped_port import StampedPort
from pqc_bench.harness.blaster import Applications

_NS = 1_000_000_000
_WAIT_S = 0.05
DRONE, GROUND = "drone", "gcs"


class RelayedLoad:
    """Passes datagrams between outside programs and the tunnels until it is stopped."""

    def __init__(self, where: Applications, drone: OutsideEnd, ground: OutsideEnd) -> None:
        """Open both ends' sockets."""
        self._ends = {DRONE: drone, GROUND: ground}
        self._ports = {DRONE: StampedPort(where.drone_bind), GROUND: StampedPort(where.ground_bind)}
        self._tunnels = {DRONE: where.drone, GROUND: where.ground}
        self._down, self._up = FlowMatch(), FlowMatch()
        self._sent = {end: FlowCount() for end in self._ports}
        self._received = {end: FlowCount() for end in self._ports}
        self._seen = {end: SeenVehicle() for end in self._ports}

    def open_window(self, name: str) -> None:
        """Count datagrams sent from now on under this name."""
        self._down.open_window(name)
        self._up.open_window(name)

    def run(self, control: Control) -> dict[str, Any]:
        """Pass datagrams until `control` stops the load; return the report."""
        began_ns = time.monotonic_ns()
        ends = self._ends.values()
        for end in ends:
            end.begin(began_ns)
        talkers = [talker for end in ends for talker in end.sources()]
        while not control.stopped(self):
            for name, end in self._ends.items():
                for datagram in end.due(time.monotonic_ns()):
                    self._send(name, datagram)
            wait_ns = min(end.next_ns() for end in ends) - time.monotonic_ns()
            self._receive([*talkers, *control.sources()], wait_ns / _NS)
        seconds = (time.monotonic_ns() - began_ns) / _NS
        self._drain()
        return self._report(seconds)

    def _send(self, end: str, datagram: bytes) -> None:
        self._sent[end].note(datagram)
        flow = self._down if end == DRONE else self._up
        flow.note_sent(datagram, time.time_ns())
        if not self._ports[end].send(datagram, self._tunnels[end]):
            flow.forget_sent(datagram)

    def _receive(self, others: Sequence[Any], wait_s: float) -> None:
        """Pass what comes out of the tunnels on to the programs."""
        sources = [*self._ports.values(), *others]
        ready, _, _ = select.select(sources, [], [], min(max(wait_s, 0.0), _WAIT_S))
        for end, port in self._ports.items():
            if port not in ready:
                continue
            flow = self._up if end == DRONE else self._down
            for datagram, arrived_ns in port.receive_stamped():
                flow.note_arrived(datagram, arrived_ns)
                self._received[end].note(datagram)
                self._seen[end].note(datagram)
                self._ends[end].handle(datagram, arrived_ns)

    def _drain(self) -> None:
        began = time.monotonic()
        while self._down.under_way + self._up.under_way > 0:
            passed_s = time.monotonic() - began
            self._receive([], _WAIT_S)
            overtaken = self._down.overtaken and self._up.overtaken
            if passed_s >= (STRAGGLERS_S if overtaken else DRAIN_S):
                break

    def _report(self, seconds: float) -> dict[str, Any]:
        flows = {"drone_to_gcs": (self._down, GROUND), "gcs_to_drone": (self._up, DRONE)}
        down, up = self._down.windows(), self._up.windows()
        results = {name: end.result() for name, end in self._ends.items()}
        counts = {end: (self._sent[end], self._received[end]) for end in self._ends}
        return {
            "load": "mavproxy" if results[DRONE]["program"] else "mavlink",
            "seconds": seconds,
            "real_time": None,
            "flows": {
                way: {
                    **flow.as_dict(),
                    "receiver_drops": self._ports[end].kernel_drops,
                    "slips": 0,
                }
                for way, (flow, end) in flows.items()
            },
            "latency": {way: flow.latency() for way, (flow, _) in flows.items()},
            "round_trip": distribution(results[GROUND]["round_trips_ms"]),
            "windows": {
                name: {"drone_to_gcs": down[name], "gcs_to_drone": up[name]} for name in down
            },
            "mavlink": mavlink_of_ends(counts, self._seen, results),
        }


@contextmanager
def relayed_load(
    where: Applications, vehicle: str, rate_hz: int, folder: Path, *, mavproxy: bool
) -> Iterator[RelayedLoad]:
    """Start vehicle and, if asked for, MAVProxy at both ends, with their logs in a folder.

    RunFault if one of them can't be started, or is silent.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        ground = ground_end(folder, stack, mavproxy=mavproxy)
        drone = drone_end(vehicle, rate_hz, folder, stack, mavproxy=mavproxy)
        ground.wait_until_ready()
        yield RelayedLoad(where, drone, ground)
