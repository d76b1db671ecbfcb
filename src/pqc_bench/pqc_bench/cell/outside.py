# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What a load talks MAVLink with outside of this process, at one end: a vehicle, MAVProxy."""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

from pqc_sim.datagrams.mavlink_frames import FrameStream
from pqc_sim.datagrams.udp_port import Endpoint, UdpPort
from pqc_sim.demo.mavproxy import MavProxy
from pqc_sim.processes.process_group import ProcessGroup
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.ports import LOOPBACK, free_ports

from pqc_bench.cell.mavlink_load import GroundPulse
from pqc_bench.cell.vehicle_option import PORT, device_and_baud, is_device, vehicle_words
from pqc_bench.collectors.sampled import sampled
from pqc_bench.collectors.system import WatchedProcess

SIMULATED = "simulated"
_READ_BYTES = 4096
_END_S = 5.0
_LOOK_S = 0.5
_WAIT_S = 0.05
_VEHICLE_S = 50.0
# Not that of MAVProxy and other ground programs.
_PULSE_SYSTEM = 254
_NEVER_NS = 1 << 62


class Talker(Protocol):
    """One side of a conversation in MAVLink; no call blocks."""

    def fileno(self) -> int:
        """Return what select waits for."""

    def receive(self) -> list[bytes]:
        """Return what has come since, a datagram each."""

    def send(self, datagram: bytes) -> None:
        """Send a datagram to the other side, if it is known."""


class UdpTalker:
    """Talks with a program over UDP: with `peer`, or with whoever sent last."""

    def __init__(self, peer: Endpoint | None = None) -> None:
        self._port = UdpPort(Endpoint(LOOPBACK, 0))
        self._peer = peer

    @property
    def address(self) -> Endpoint:
        return self._port.address

    def fileno(self) -> int:
        return self._port.fileno()

    def receive(self) -> list[bytes]:
        found = list(self._port.receive_all())
        if found:
            self._peer = found[-1][1]
        return [datagram for datagram, _ in found]

    def send(self, datagram: bytes) -> None:
        if self._peer is not None:
            self._port.send(datagram, self._peer)


class SerialTalker:
    """Talks with an autopilot on a serial line."""

    def __init__(self, device: str) -> None:
        """Open DEVICE or DEVICE,BAUD; RunFault if that fails."""
        # Only a vehicle on a serial line needs it.
        import serial

        path, baud = device_and_baud(device)
        try:
            self._line = serial.Serial(path, baud, timeout=0, write_timeout=0, exclusive=True)
        except (serial.SerialException, ValueError) as error:
            raise RunFault(f"the vehicle's device {path} can't be opened: {error}") from error
        self._frames = FrameStream()

    def fileno(self) -> int:
        return self._line.fileno()

    def receive(self) -> list[bytes]:
        return self._frames.feed(self._line.read(_READ_BYTES))

    def send(self, datagram: bytes) -> None:
        self._line.write(datagram)


class Watch:
    """The CPU and memory of a program, sampled about twice a second."""

    def __init__(self, pid: int) -> None:
        self._program = WatchedProcess(pid)
        self._next_s = time.monotonic() + _LOOK_S

    def look(self) -> None:
        """Take a sample, if one is due."""
        now_s = time.monotonic()
        if now_s >= self._next_s:
            self._next_s = now_s + _LOOK_S
            self._program.look(now_s)

    def use(self) -> dict[str, Any]:
        """Return the schema's members of the use of a program."""
        samples: tuple[tuple[str, Sequence[float]], ...] = (
            ("cpu_percent", self._program.cpu_percent),
            ("resident_mib", self._program.resident_mib),
        )
        return {name: sampled(values) for name, values in samples}


class OutsideEnd:
    """What sends and receives at one end: its talker, and at the ground the messages that measure.

    TIMESYNC from a system of its own, ten times a second, gives the round trip to the vehicle.
    """

    def __init__(
        self,
        talker: Talker | None = None,
        program: MavProxy | None = None,
        *,
        source: str = "",
    ) -> None:
        """Take the vehicle as `source` at the drone; without a talker the pulse is all."""
        self._talker, self._program, self._source = talker, program, source
        self._watch: Watch | None = None
        self._pulse: GroundPulse | None = None

    def wait_until_ready(self) -> None:
        """Wait until MAVProxy listens, if there is one; RunFault if it doesn't."""
        if self._program is not None:
            self._program.wait_until_listening()

    def begin(self, now_ns: int) -> None:
        """Forget what came until now, when nothing went through the tunnel."""
        while self._talker is not None and self._talker.receive():
            pass
        if not self._source:
            heartbeats = self._talker is None
            self._pulse = GroundPulse(now_ns, _PULSE_SYSTEM, heartbeats=heartbeats)
        if self._program is not None:
            self._watch = Watch(self._program.pid)

    def sources(self) -> list[Talker]:
        """Return what select waits for, besides the time of the next message."""
        return [] if self._talker is None else [self._talker]

    def next_ns(self) -> int:
        return _NEVER_NS if self._pulse is None else self._pulse.next_ns

    def due(self, now_ns: int) -> list[bytes]:
        """Return what goes into the tunnel now."""
        if self._watch is not None:
            self._watch.look()
        datagrams = [] if self._pulse is None else self._pulse.due(now_ns)
        return datagrams + ([] if self._talker is None else self._talker.receive())

    def handle(self, datagram: bytes, arrived_ns: int) -> list[bytes]:
        """Pass on what came out of the tunnel; the answers come by themselves."""
        if self._pulse is not None:
            self._pulse.handle(datagram, arrived_ns)
        if self._talker is not None:
            self._talker.send(datagram)
        return []

    def kept(self, datagram: bytes) -> bytes:
        return datagram

    def result(self) -> dict[str, Any]:
        """Return the vehicle or the round trips in ms, and what MAVProxy says and used."""
        program = None
        if self._program is not None and self._watch is not None:
            figures = self._program.link_figures()
            program = {"name": "MAVProxy", **figures, **self._watch.use()}
        own: dict[str, Any] = {"source": self._source}
        if self._pulse is not None:
            own = {"round_trips_ms": self._pulse.round_trips_ms}
        return {**own, "program": program, "slips": 0}


def drone_end(
    vehicle: str, rate_hz: int, folder: Path, stack: ExitStack, *, mavproxy: bool
) -> OutsideEnd:
    """Start a vehicle and, if asked for, MAVProxy beside it, with their logs in a folder.

    RunFault if one of them can't be started, or is silent.
    """
    source, log = vehicle or SIMULATED, folder / "vehicle.log"
    if is_device(vehicle) and not mavproxy:
        line = SerialTalker(vehicle)
        _wait_for(line, None)
        return OutsideEnd(line, source=source)
    talker = UdpTalker()
    if not mavproxy:
        _wait_for(talker, _vehicle_program(vehicle, talker.address.port, rate_hz, log, stack))
        return OutsideEnd(talker, source=source)
    place = _new(folder / "mavproxy_drone")
    if is_device(vehicle):
        path, baud = device_and_baud(vehicle)
        proxy = stack.enter_context(MavProxy(path, place, out=talker.address, baud=baud))
    else:
        master = Endpoint(LOOPBACK, *free_ports(1))
        proxy = stack.enter_context(MavProxy(master, place, out=talker.address))
        proxy.wait_until_listening()
        _wait_for(talker, _vehicle_program(vehicle, master.port, rate_hz, log, stack))
    proxy.wait_for_vehicle(_VEHICLE_S)
    return OutsideEnd(talker, proxy, source=source)


def ground_end(folder: Path, stack: ExitStack, *, mavproxy: bool) -> OutsideEnd:
    """Start MAVProxy, if asked for, with its logs in a folder; it isn't ready yet."""
    if not mavproxy:
        return OutsideEnd()
    master = Endpoint(LOOPBACK, *free_ports(1))
    proxy = stack.enter_context(MavProxy(master, _new(folder / "mavproxy_gcs")))
    return OutsideEnd(UdpTalker(master), proxy)


def _vehicle_program(
    vehicle: str, port: int, rate_hz: int, log: Path, stack: ExitStack
) -> ProcessGroup:
    """Start a vehicle that sends to a port: the command, or without one the simulated vehicle."""
    environment: dict[str, str] = {}
    if vehicle:
        command = [word.replace(PORT, str(port)) for word in vehicle_words(vehicle)]
    else:
        command = [sys.executable, "-m", "pqc_sim.vehicle.vehicle_process"]
        command += ["--bind", f"{LOOPBACK}:0", "--tunnel", f"{LOOPBACK}:{port}"]
        command += ["--rate", str(rate_hz)]
        environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    program = ProcessGroup(command, log, environment)
    # The simulated one would wait for datagrams under way; nobody reads its counts.
    stack.callback(program.end, _END_S if vehicle else 0.0)
    return program


def _wait_for(vehicle: Talker, program: ProcessGroup | None) -> None:
    """Wait for MAVLink of a vehicle; RunFault if none comes, or its program ends before."""
    deadline = time.monotonic() + _VEHICLE_S
    while not select.select([vehicle], [], [], _WAIT_S)[0]:
        if program is not None and not program.running:
            said = [line for line in program.output() if line.strip()]
            raise RunFault(f"the vehicle's program has ended: {said[-1] if said else 'no output'}")
        if time.monotonic() > deadline:
            raise RunFault(f"the vehicle sent nothing within {_VEHICLE_S:g} s")


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder
