# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The load of programs outside of this process: MAVProxy at both ends, or a vehicle of one's own.

    vehicle <-> [MAVProxy] <-> this <-> tunnel == tunnel <-> this <-> [MAVProxy]

Both places beside the tunnel are in this process, so that each datagram's way through the tunnel is
timed by one clock and compared byte for byte, whatever the programs do. TIMESYNC from a system of
its own, ten times a second, gives the round trip to the vehicle.
"""

from __future__ import annotations

import select
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from pqc_sim.datagrams.counting import FlowCount, compare
from pqc_sim.datagrams.mavlink_frames import split_frames
from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.demo.mavproxy import GroundProgramError, MavProxy
from pqc_sim.processes.process_group import ProcessGroup
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.ports import LOOPBACK, free_ports

from pqc_bench.cell.control import Control
from pqc_bench.cell.distribution import distribution
from pqc_bench.cell.flow_match import FlowMatch
from pqc_bench.cell.mavlink_load import DRAIN_S, STRAGGLERS_S, GroundPulse
from pqc_bench.cell.outside import (
    SIMULATED,
    SerialTalker,
    Talker,
    UdpTalker,
    Watch,
    end_program,
    vehicle_program,
)
from pqc_bench.cell.seen_vehicle import SeenVehicle
from pqc_bench.cell.stamped_port import StampedPort
from pqc_bench.cell.vehicle_option import device_and_baud, is_device
from pqc_bench.harness.blaster import Applications

_NS = 1_000_000_000
# Not that of MAVProxy and other ground programs.
_PULSE_SYSTEM = 254
_WAIT_S = 0.05
_VEHICLE_S = 50.0
DRONE, GROUND = "drone", "gcs"


class RelayedLoad:
    """Passes datagrams between outside programs and the tunnels until it is stopped."""

    def __init__(
        self, where: Applications, vehicle: Talker, ground: Talker | None, source: str = SIMULATED
    ) -> None:
        """Open both ends' sockets; without `ground` this load's own messages are all it sends."""
        self._where = where
        self._vehicle, self._ground = vehicle, ground
        self._source = source
        self._ports = {DRONE: StampedPort(where.drone_bind), GROUND: StampedPort(where.ground_bind)}
        self._down, self._up = FlowMatch(), FlowMatch()
        self._sent = {end: FlowCount() for end in self._ports}
        self._received = {end: FlowCount() for end in self._ports}
        self._at_drone = SeenVehicle()
        self.programs: dict[str, MavProxy] = {}

    def open_window(self, name: str) -> None:
        """Count datagrams sent from now on under this name."""
        self._down.open_window(name)
        self._up.open_window(name)

    def run(self, control: Control) -> dict[str, Any]:
        """Pass datagrams until `control` stops the load; return the report."""
        # Nothing was sent through the tunnel before.
        for talker in filter(None, (self._vehicle, self._ground)):
            talker.receive()
        began_ns = time.monotonic_ns()
        pulse = GroundPulse(began_ns, _PULSE_SYSTEM, heartbeats=self._ground is None)
        watch = Watch({end: program.pid for end, program in self.programs.items()})
        while not control.stopped(self):
            for datagram in pulse.due(time.monotonic_ns()):
                self._send_up(datagram)
            wait_s = (pulse.next_ns - time.monotonic_ns()) / _NS
            talkers = [talker for talker in (self._vehicle, self._ground) if talker is not None]
            ready = self._wait([*talkers, *control.sources()], wait_s)
            self._deliver(ready, pulse)
            if self._vehicle in ready:
                for datagram in self._vehicle.receive():
                    self._sent[DRONE].note(datagram)
                    self._send(DRONE, self._down, datagram, self._where.drone)
            if self._ground is not None and self._ground in ready:
                for datagram in self._ground.receive():
                    self._send_up(datagram)
            watch.look()
        seconds = (time.monotonic_ns() - began_ns) / _NS
        self._drain(pulse)
        return self._report(pulse, watch, seconds)

    def _wait(self, others: list[Any], wait_s: float) -> list[Any]:
        sources = [*self._ports.values(), *others]
        return select.select(sources, [], [], min(max(wait_s, 0.0), _WAIT_S))[0]

    def _send_up(self, datagram: bytes) -> None:
        self._sent[GROUND].note(datagram)
        self._send(GROUND, self._up, datagram, self._where.ground)

    def _send(self, end: str, flow: FlowMatch, datagram: bytes, to: Endpoint) -> None:
        flow.note_sent(datagram, time.time_ns())
        if not self._ports[end].send(datagram, to):
            flow.forget_sent(datagram)

    def _deliver(self, ready: list[Any], pulse: GroundPulse) -> None:
        """Pass what came out of the tunnels on to the programs."""
        if self._ports[GROUND] in ready:
            for datagram, arrived_ns in self._ports[GROUND].receive_stamped():
                self._down.note_arrived(datagram, arrived_ns)
                self._received[GROUND].note(datagram)
                pulse.handle(datagram, arrived_ns)
                if self._ground is not None:
                    self._ground.send(datagram)
        if self._ports[DRONE] in ready:
            for datagram, arrived_ns in self._ports[DRONE].receive_stamped():
                self._up.note_arrived(datagram, arrived_ns)
                self._received[DRONE].note(datagram)
                for frame in split_frames(datagram).frames:
                    self._at_drone.note(frame)
                self._vehicle.send(datagram)

    def _drain(self, pulse: GroundPulse) -> None:
        began = time.monotonic()
        while self._down.under_way + self._up.under_way > 0:
            passed_s = time.monotonic() - began
            self._deliver(self._wait([], _WAIT_S), pulse)
            overtaken = self._down.overtaken and self._up.overtaken
            if passed_s >= (STRAGGLERS_S if overtaken else DRAIN_S):
                break

    def _report(self, pulse: GroundPulse, watch: Watch, seconds: float) -> dict[str, Any]:
        flows = {"drone_to_gcs": (self._down, GROUND), "gcs_to_drone": (self._up, DRONE)}
        down, up = self._down.windows(), self._up.windows()
        types = {DRONE: self._at_drone.types, GROUND: pulse.vehicle.types}
        sent, received = (
            {end: count.as_dict() for end, count in of.items()}
            for of in (self._sent, self._received)
        )
        return {
            "load": "mavproxy" if self.programs else "mavlink",
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
            "round_trip": distribution(pulse.round_trips_ms),
            "windows": {
                name: {"drone_to_gcs": down[name], "gcs_to_drone": up[name]} for name in down
            },
            "mavlink": {
                "source": self._source,
                "seen": pulse.vehicle.as_dict(),
                "ends": {
                    end: {
                        "sent": sent[end],
                        "received": received[end],
                        "types": dict(sorted(types[end].items())),
                        "program": self._program(end, watch),
                    }
                    for end in self._ports
                },
                "compared": {
                    "drone_to_gcs": compare(sent[DRONE], received[GROUND]).as_dict(),
                    "gcs_to_drone": compare(sent[GROUND], received[DRONE]).as_dict(),
                },
            },
        }

    def _program(self, end: str, watch: Watch) -> dict[str, Any] | None:
        """Return what MAVProxy at an end says of its link, and what it used."""
        program = self.programs.get(end)
        if program is None:
            return None
        return {"name": "MAVProxy", **program.link_figures(), **watch.use(end)}


@contextmanager
def relayed_load(
    where: Applications, vehicle: str, rate_hz: int, folder: Path, *, mavproxy: bool
) -> Iterator[RelayedLoad]:
    """Start vehicle and, if asked for, MAVProxy at both ends, with their logs in a folder.

    RunFault if one of them can't be started, or is silent.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        try:
            if mavproxy:
                load = _between_mavproxies(where, vehicle, rate_hz, folder, stack)
            else:
                load = _beside_vehicle(where, vehicle, rate_hz, folder, stack)
        except GroundProgramError as error:
            raise RunFault(str(error)) from error
        yield load


def _beside_vehicle(
    where: Applications, vehicle: str, rate_hz: int, folder: Path, stack: ExitStack
) -> RelayedLoad:
    if is_device(vehicle):
        line = SerialTalker(vehicle)
        _wait_for(line, None)
        return RelayedLoad(where, line, None, vehicle)
    talker = UdpTalker()
    program = vehicle_program(vehicle, talker.address.port, rate_hz, folder / "vehicle.log")
    stack.callback(end_program, program)
    _wait_for(talker, program)
    return RelayedLoad(where, talker, None, vehicle or SIMULATED)


def _wait_for(vehicle: Talker, program: ProcessGroup | None) -> None:
    """Wait for MAVLink of a vehicle; RunFault if none comes, or its program ends before."""
    deadline = time.monotonic() + _VEHICLE_S
    while not select.select([vehicle], [], [], _WAIT_S)[0]:
        if program is not None and not program.running:
            said = [line for line in program.output() if line.strip()]
            raise RunFault(f"the vehicle's program has ended: {said[-1] if said else 'no output'}")
        if time.monotonic() > deadline:
            raise RunFault(f"the vehicle sent nothing within {_VEHICLE_S:g} s")


def _between_mavproxies(
    where: Applications, vehicle: str, rate_hz: int, folder: Path, stack: ExitStack
) -> RelayedLoad:
    vehicle_port, ground_port = free_ports(2)
    drone_talker = UdpTalker()
    ground_talker = UdpTalker(Endpoint(LOOPBACK, ground_port))
    folders = {end: folder / f"mavproxy_{end}" for end in (DRONE, GROUND)}
    for one in folders.values():
        one.mkdir()
    baud = 0
    master: Endpoint | str = Endpoint(LOOPBACK, vehicle_port)
    if is_device(vehicle):
        master, baud = device_and_baud(vehicle)
    drone = MavProxy(master, folders[DRONE], out=drone_talker.address, baud=baud)
    stack.enter_context(drone)
    ground = stack.enter_context(MavProxy(Endpoint(LOOPBACK, ground_port), folders[GROUND]))
    if not baud:
        drone.wait_until_listening()
        program = vehicle_program(vehicle, vehicle_port, rate_hz, folder / "vehicle.log")
        stack.callback(end_program, program)
    ground.wait_until_listening()
    drone.wait_for_vehicle(_VEHICLE_S)
    load = RelayedLoad(where, drone_talker, ground_talker, vehicle or SIMULATED)
    load.programs = {DRONE: drone, GROUND: ground}
    return load
