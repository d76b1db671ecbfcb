# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m pqc_bench.testbed.half_load END LOAD`: one end of a cell's load.

The drone's end begins with a line at its standard input, and stops with the next one or the end of
the input. The ground's end begins with the first datagram that arrives, and stops with the drone's
mark of the end or after its silence. So both run without a connection beside the tunnel.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import select
import signal
import struct
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

from pqc_sim.datagrams.udp_port import Endpoint, parse_endpoint
from pqc_sim.processes.run_fault import RunFault

from pqc_bench.cell.cell import BLASTER_SIZE, MAVPROXY, RATES
from pqc_bench.cell.stamped_port import StampedPort
from pqc_bench.testbed.traffic_log import RECEIVED, SENT, TrafficLog, ahead_of_wall_ns, now_ns

_NS = 1_000_000_000
_WAIT_S = 0.05
# The last datagrams of the drone's end; a lossy link may lose some.
_END, _ENDS, _END_PAUSE_S = b"pqc-bench: the load has ended", 5, 0.02
# Datagrams under way have arrived after so much silence, or never do.
_QUIET_S, _DRAIN_S = 1.0, 5.0
# The drone has vanished after this silence.
_SILENT_S = 60.0
_LATE_NS = 10_000_000


class Half(Protocol):
    """The content of one end's traffic; times in ns of a monotonic clock, arrivals of the day's."""

    def begin(self, now: int) -> None: ...
    def sources(self) -> Sequence[Any]:
        return ()

    def due(self, now: int) -> list[bytes]: ...
    def next_ns(self) -> int: ...
    def handle(self, datagram: bytes, arrived: int) -> list[bytes]: ...
    def result(self) -> dict[str, Any]: ...
    def kept(self, datagram: bytes) -> bytes: ...


class VehicleHalf(Half):
    """The simulated vehicle."""

    def __init__(self, rate: int) -> None:
        self._rate = rate
        # Loads its modules before anything is measured.
        self.begin(0)

    def begin(self, now: int) -> None:
        from pqc_sim.vehicle.vehicle import Vehicle, VehicleOptions

        self._vehicle = Vehicle(VehicleOptions(rate_hz=self._rate), now, time.time_ns())

    def due(self, now: int) -> list[bytes]:
        return self._vehicle.advance(now)

    def next_ns(self) -> int:
        return self._vehicle.next_ns()

    def handle(self, datagram: bytes, arrived: int) -> list[bytes]:
        del arrived
        return self._vehicle.handle(datagram, time.monotonic_ns())

    def kept(self, datagram: bytes) -> bytes:
        return datagram

    def result(self) -> dict[str, Any]:
        state = self._vehicle.as_dict()
        return {"vehicle": state, "slips": state["slips"]}


class BlasterHalf(Half):
    """Numbered datagrams of one size at a steady rate; only their digests are kept."""

    def __init__(self, end: str, rate: int, size: int) -> None:
        self._head = struct.Struct(f"=Q{len(end)}s")
        self._end, self._rate, self._began = end.encode(), rate, 0
        self._rest = random.Random(end).randbytes(size - self._head.size)
        self._count = self._slips = 0

    def begin(self, now: int) -> None:
        self._began = now

    def due(self, now: int) -> list[bytes]:
        datagrams = []
        while (planned := self.next_ns()) <= now:
            self._slips += now - planned > _LATE_NS
            datagrams.append(self._head.pack(self._count, self._end) + self._rest)
            self._count += 1
        return datagrams

    def next_ns(self) -> int:
        return self._began + self._count * _NS // self._rate

    def handle(self, datagram: bytes, arrived: int) -> list[bytes]:
        del datagram, arrived
        return []

    def kept(self, datagram: bytes) -> bytes:
        return hashlib.blake2b(datagram, digest_size=8).digest()

    def result(self) -> dict[str, Any]:
        return {"slips": self._slips, "asked": self._count}


class HalfLoad:
    """Sends, receives and records at one end."""

    def __init__(
        self, end: str, half: Half, bind: Endpoint, tunnel: Endpoint, folder: Path
    ) -> None:
        """Open the socket and the logs; OSError if an address can't be used."""
        self._end, self._half, self._tunnel = end, half, tunnel
        self._port = StampedPort(bind)
        self._sent, self._received = TrafficLog(folder / SENT), TrafficLog(folder / RECEIVED)
        self._over = False
        self._refused = 0
        self._heard = time.monotonic()

    def run(self) -> dict[str, Any]:
        """Return the report of this end."""
        half = self._half
        print("ready", flush=True)
        if not self._wait_for_start():
            return {}
        half.begin(time.monotonic_ns())
        began = now_ns()
        print("started", flush=True)
        while not self._over:
            self._send(half.due(time.monotonic_ns()))
            self._receive((half.next_ns() - time.monotonic_ns()) / _NS)
            self._over = self._over or time.monotonic() - self._heard > _SILENT_S
        ended = now_ns()
        self._finish()
        self._sent.close()
        self._received.close()
        return {
            **half.result(),
            "began_ns": began,
            "ended_ns": ended,
            "refused": self._refused,
            "receiver_drops": self._port.kernel_drops,
        }

    def _wait_for_start(self) -> bool:
        sources = [sys.stdin] if self._end == "drone" else [sys.stdin, self._port]
        ready, _, _ = select.select(sources, [], [])
        self._heard = time.monotonic()
        return self._commanded() if sys.stdin in ready else True

    def _commanded(self) -> bool:
        """Read from the standard input; False at its end, and a second line stops the load."""
        text = os.read(sys.stdin.fileno(), 64)
        self._over = self._over or b"stop" in text
        return bool(text)

    def _send(self, datagrams: list[bytes]) -> None:
        for datagram in datagrams:
            at_ns = now_ns()
            if self._port.send(datagram, self._tunnel):
                self._sent.note(at_ns, len(datagram), self._half.kept(datagram))
            else:
                self._refused += 1

    def _receive(self, wait_s: float) -> bool:
        """Handle what arrives; return whether something came."""
        sources = [self._port, *([] if self._over else [sys.stdin, *self._half.sources()])]
        ready, _, _ = select.select(sources, [], [], min(max(wait_s, 0.0), _WAIT_S))
        if sys.stdin in ready:
            self._over = not self._commanded() or self._over
        if self._port not in ready:
            return False
        ahead_ns = ahead_of_wall_ns()
        for datagram, arrived_ns in self._port.receive_stamped():
            self._heard = time.monotonic()
            if datagram == _END:
                self._over = True
                continue
            kept = self._half.kept(datagram)
            self._received.note(arrived_ns + ahead_ns, len(datagram), kept)
            self._send(self._half.handle(datagram, arrived_ns))
        return True

    def _finish(self) -> None:
        for _ in range(_ENDS if self._end == "drone" else 0):
            self._port.send(_END, self._tunnel)
            time.sleep(_END_PAUSE_S)
        began = quiet = time.monotonic()
        while time.monotonic() - quiet < _QUIET_S and time.monotonic() - began < _DRAIN_S:
            if self._receive(_WAIT_S):
                quiet = time.monotonic()


def half_of(end: str, load: str, vehicle: str, folder: Path, stack: ExitStack) -> Half:
    """Return one end's half of a load with its programs started; RunFault if one can't be."""
    rate, mavproxy = RATES[load], load == MAVPROXY
    if load == "blaster":
        return BlasterHalf(end, rate, BLASTER_SIZE)
    if end == "drone" and not (vehicle or mavproxy):
        return VehicleHalf(rate)
    from pqc_bench.cell.outside import drone_end, ground_end

    if end == "drone":
        return drone_end(vehicle, rate, folder, stack, mavproxy=mavproxy)
    ground = ground_end(folder, stack, mavproxy=mavproxy)
    ground.wait_until_ready()
    return ground


def main() -> int:
    """Run one end; 0 after a clean end, its report is a file."""
    parser = argparse.ArgumentParser(prog="half_load")
    parser.add_argument("end", choices=("drone", "gcs"))
    parser.add_argument("load", choices=tuple(RATES))
    for name in ("--bind", "--tunnel"):
        parser.add_argument(name, type=parse_endpoint, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--vehicle", default="")
    given = parser.parse_args()
    folder = given.folder.absolute()
    # A vehicle's command begins as in a shell there, and MAVProxy has its own pymavlink.
    os.environ.pop("PYTHONPATH", None)
    os.chdir(Path.home())
    # Its programs end with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        with ExitStack() as stack:
            half = half_of(given.end, given.load, given.vehicle, folder, stack)
            report = HalfLoad(given.end, half, given.bind, given.tunnel, folder).run()
            (folder / "half.json").write_text(json.dumps(report), encoding="ascii")
    except (RunFault, OSError) as error:
        print(f"load: {getattr(error, 'strerror', '') or error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
