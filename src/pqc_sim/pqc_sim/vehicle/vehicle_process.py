# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`vehicle`: the simulated vehicle as a process that talks MAVLink over one UDP socket."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path
from typing import Any

from pqc_sim.datagrams.udp_port import Endpoint, UdpPort
from pqc_sim.processes.command_line import Parser, endpoint, message_rate, percent, real
from pqc_sim.processes.counting_program import CountingProgram
from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions


class VehicleProcess(CountingProgram):
    """Couples a vehicle with a socket and the clock.

    If asked to hold, it waits for SIGUSR1 before it sends anything.
    """

    def __init__(self, options: argparse.Namespace, port: UdpPort) -> None:
        """Power the vehicle up, unless it holds."""
        super().__init__("vehicle", [port], options.summary)
        self._port = port
        self._peer: Endpoint = options.tunnel
        self._vehicle: Vehicle | None = None
        self._options = VehicleOptions(
            rate_hz=options.rate,
            charge=options.charge / 100.0,
            capacity_mah=options.capacity,
        )
        self.state = "holding"
        if not options.hold:
            self._start()

    def _start(self) -> None:
        now_ns = time.monotonic_ns()
        self._vehicle = Vehicle(self._options, now_ns, time.time_ns())
        self.state = "running"

    def handle_signal(self, number: int) -> None:
        """Start on SIGUSR1."""
        if number == signal.SIGUSR1 and self.state == "holding":
            self._start()
        super().handle_signal(number)

    def next_ns(self, now_ns: int) -> int:
        if self.state == "running" and self._vehicle is not None:
            return self._vehicle.next_ns()
        return super().next_ns(now_ns)

    def exchange(self) -> None:
        vehicle, now_ns = self._vehicle, time.monotonic_ns()
        if vehicle is None:
            self.strangers += sum(sender != self._peer for _, sender in self._port.receive_all())
            return
        for datagram, sender in self._port.receive_all():
            if sender != self._peer:
                self.strangers += 1
            elif self.state == "running":
                self._send(vehicle.handle(datagram, now_ns))
            else:
                vehicle.listen(datagram)
                self.drain.note(now_ns)
        if self.state == "running":
            self._send(vehicle.advance(now_ns))

    def _send(self, datagrams: list[bytes]) -> None:
        for datagram in datagrams:
            self._port.send(datagram, self._peer)

    def counts(self) -> dict[str, Any]:
        if self._vehicle is None:
            return {}
        return {
            "vehicle": self._vehicle.as_dict(),
            "sent": self._vehicle.sent.as_dict(),
            "received": self._vehicle.received.as_dict(),
        }


def _parser() -> Parser:
    parser = Parser(prog="vehicle", description="A simulated MAVLink quadcopter.")
    option = parser.option
    address: dict[str, Any] = {"type": endpoint, "metavar": "HOST:PORT", "required": True}
    option("--bind", "address of the vehicle's own socket; port 0 takes a free one", **address)
    option("--tunnel", "plaintext address of the drone's tunnel", **address)
    option("--rate", "telemetry messages per second (320)", type=message_rate, default=320)
    option("--charge", "charge of the battery in %% (100)", type=percent, default=100.0)
    option(
        "--capacity",
        "capacity of the battery in mAh (5200)",
        type=real(1.0, 1e6, "a capacity from 1 to 1000000 mAh"),
        default=5200.0,
    )
    option("--hold", "stay silent until the process gets SIGUSR1", action="store_true")
    option("--summary", "file for the counts, rewritten each second", type=Path, metavar="FILE")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run the vehicle until it's stopped; 0 after a clean stop."""
    options = _parser().parse_args(arguments)
    try:
        port = UdpPort(options.bind)
    except OSError as error:
        print(f"vehicle: {error.strerror or error}", file=sys.stderr)
        return 1
    try:
        VehicleProcess(options, port).run()
    finally:
        port.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
