# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What a load talks MAVLink with outside of this process: a vehicle, or MAVProxy at an end."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from pqc_sim.datagrams.mavlink_frames import FrameStream
from pqc_sim.datagrams.udp_port import Endpoint, UdpPort
from pqc_sim.processes.process_group import ProcessGroup
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.ports import LOOPBACK

from pqc_bench.cell.vehicle_option import PORT, device_and_baud, vehicle_words
from pqc_bench.collectors.sampled import sampled
from pqc_bench.collectors.system import WatchedProcess

SIMULATED = "simulated"
_READ_BYTES = 4096
_END_S = 5.0
_LOOK_S = 0.5


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


def vehicle_program(vehicle: str, port: int, rate_hz: int, log: Path) -> ProcessGroup:
    """Start a vehicle that sends to a port: the command, or without one the simulated vehicle."""
    if vehicle:
        command = [word.replace(PORT, str(port)) for word in vehicle_words(vehicle)]
    else:
        command = [sys.executable, "-m", "pqc_sim.vehicle.vehicle_process"]
        command += ["--bind", f"{LOOPBACK}:0", "--tunnel", f"{LOOPBACK}:{port}"]
        command += ["--rate", str(rate_hz)]
    return ProcessGroup(command, log)


def end_program(program: ProcessGroup) -> None:
    program.end(_END_S)


class Watch:
    """The CPU and memory of some programs, by end, sampled about twice a second."""

    def __init__(self, pids: dict[str, int]) -> None:
        self._programs = {end: WatchedProcess(pid) for end, pid in pids.items()}
        self._next_s = time.monotonic() + _LOOK_S

    def look(self) -> None:
        """Take a sample, if one is due."""
        now_s = time.monotonic()
        if now_s >= self._next_s:
            self._next_s = now_s + _LOOK_S
            for program in self._programs.values():
                program.look(now_s)

    def use(self, end: str) -> dict[str, Any]:
        """Return the schema's members of the use of a program."""
        program = self._programs[end]
        samples: tuple[tuple[str, Sequence[float]], ...] = (
            ("cpu_percent", program.cpu_percent),
            ("resident_mib", program.resident_mib),
        )
        return {name: sampled(values) for name, values in samples}
