# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`vehicle`: the simulated vehicle as a process that talks MAVLink over one UDP socket."""

from __future__ import annotations

import argparse
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any

from pqc_sim.datagrams.drain import Drain
from pqc_sim.datagrams.udp_port import Endpoint, UdpPort
from pqc_sim.processes.command_line import Parser, endpoint, message_rate, percent
from pqc_sim.processes.signal_pipe import SignalPipe
from pqc_sim.processes.summary_file import write_summary
from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions
from pqc_sim.vehicle.vehicle_arguments import capacity, place

_NS = 1_000_000_000


class VehicleProcess:
    """Couples a vehicle with a socket, the clock and its summary file.

    It holds until SIGUSR1 (if asked to), then sends; on SIGINT or SIGTERM it falls silent, listens
    until what is still under way has arrived, and ends.
    """

    def __init__(self, options: argparse.Namespace, port: UdpPort) -> None:
        """Power the vehicle up."""
        self._port = port
        self._peer: Endpoint = options.tunnel
        self._summary: Path | None = options.summary
        self._vehicle: Vehicle | None = None
        self._options = VehicleOptions(
            home=options.home,
            rate_hz=options.rate,
            charge=options.charge / 100.0,
            capacity_mah=options.capacity,
            system=options.system_id,
        )
        self._stop_ns = None if options.seconds is None else int(options.seconds * _NS)
        self._state = "holding"
        self._drain = Drain()
        self._began_ns = time.monotonic_ns()
        self._strangers = 0
        if not options.hold:
            self._start()

    def run(self) -> None:
        """Run to the end."""
        next_summary_ns = 0
        with SignalPipe(signal.SIGINT, signal.SIGTERM, signal.SIGUSR1) as signals:
            now_ns = time.monotonic_ns()
            while not self._drain.finished(now_ns):
                now_ns = time.monotonic_ns()
                if now_ns >= next_summary_ns:
                    self._write_summary()
                    next_summary_ns = now_ns + _NS
                wake_ns = min(next_summary_ns, self._next_ns())
                wait_s = max(0, wake_ns - time.monotonic_ns()) / _NS
                ready, _, _ = select.select([self._port, signals], [], [], wait_s)
                if signals in ready:
                    for number in signals.pending():
                        self._on_signal(number)
                self._exchange()
        self._state = "finished"
        self._write_summary()

    def _next_ns(self) -> int:
        if self._state == "running" and self._vehicle is not None:
            return self._vehicle.next_ns()
        return time.monotonic_ns() + _NS // 20

    def _start(self) -> None:
        now_ns = time.monotonic_ns()
        self._vehicle = Vehicle(self._options, now_ns, time.time_ns())
        self._state = "running"
        if self._stop_ns is not None:
            self._stop_ns += now_ns

    def _on_signal(self, number: int) -> None:
        if number == signal.SIGUSR1:
            if self._state == "holding":
                self._start()
        elif self._state == "draining":
            self._drain.give_up()
        else:
            self._fall_silent()

    def _fall_silent(self) -> None:
        self._state = "draining"
        self._drain.begin(time.monotonic_ns())

    def _exchange(self) -> None:
        now_ns = time.monotonic_ns()
        if self._state == "running" and self._stop_ns is not None and now_ns >= self._stop_ns:
            self._send_rest(self._stop_ns)
            self._fall_silent()
        for datagram, sender in self._port.receive_all():
            if sender != self._peer:
                self._strangers += 1
            elif self._vehicle is not None:
                self._take(self._vehicle, datagram, now_ns)
        if self._state == "running" and self._vehicle is not None:
            self._send(self._vehicle.advance(time.monotonic_ns()))

    def _send_rest(self, stop_ns: int) -> None:
        # What was due before; others may have kept this process from the CPU until now.
        if self._vehicle is not None:
            self._send(self._vehicle.advance(stop_ns - 1))

    def _take(self, vehicle: Vehicle, datagram: bytes, now_ns: int) -> None:
        if self._state == "running":
            self._send(vehicle.handle(datagram, now_ns))
        else:
            vehicle.listen(datagram)
            self._drain.note(now_ns)

    def _send(self, datagrams: list[bytes]) -> None:
        for datagram in datagrams:
            self._port.send(datagram, self._peer)

    def _write_summary(self) -> None:
        if self._summary is None:
            return
        summary: dict[str, Any] = {
            "role": "vehicle",
            "pid": os.getpid(),
            "state": self._state,
            "uptime_s": (time.monotonic_ns() - self._began_ns) / _NS,
            "kernel_drops": self._port.kernel_drops,
            "unsent": self._port.unsent,
            "strangers": self._strangers,
        }
        if self._vehicle is not None:
            summary["vehicle"] = self._vehicle.as_dict()
            summary["sent"] = self._vehicle.sent.as_dict()
            summary["received"] = self._vehicle.received.as_dict()
        write_summary(self._summary, summary)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(prog="vehicle", description="A simulated MAVLink quadcopter.")
    parser.add_argument(
        "--bind",
        type=endpoint,
        required=True,
        metavar="HOST:PORT",
        help="address of the vehicle's own socket; port 0 takes a free one",
    )
    parser.add_argument(
        "--tunnel",
        type=endpoint,
        required=True,
        metavar="HOST:PORT",
        help="plaintext address of the drone's tunnel",
    )
    parser.add_argument(
        "--rate", type=message_rate, default=320, help="telemetry messages per second (320)"
    )
    parser.add_argument(
        "--seconds", type=float, help="fall silent after this time (default: run until stopped)"
    )
    parser.add_argument(
        "--charge", type=percent, default=100.0, help="charge of the battery in %% (100)"
    )
    parser.add_argument(
        "--capacity", type=capacity, default=5200.0, help="capacity of the battery in mAh (5200)"
    )
    parser.add_argument(
        "--home",
        type=place,
        default=VehicleOptions().home,
        metavar="LAT,LON,ALT",
        help="where it stands: degrees, degrees, metres above sea level",
    )
    parser.add_argument("--system-id", type=int, default=1, help="MAVLink system id (1)")
    parser.add_argument(
        "--hold", action="store_true", help="stay silent until the process gets SIGUSR1"
    )
    parser.add_argument(
        "--summary", type=Path, metavar="FILE", help="counts, rewritten each second"
    )
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
