# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`ground_tap`: a counting relay between the ground tunnel and the ground program.

It counts what the tunnel delivers before the ground program can lose any of it, and what the ground
program sends before the tunnel can.
"""

from __future__ import annotations

import argparse
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import Any

from pqc_sim.datagrams.counting import FlowCount
from pqc_sim.datagrams.drain import Drain
from pqc_sim.datagrams.udp_port import Endpoint, UdpPort
from pqc_sim.processes.command_line import Parser, endpoint
from pqc_sim.processes.signal_pipe import SignalPipe
from pqc_sim.processes.summary_file import write_summary

_NS = 1_000_000_000
# Whoever sends has fallen silent, and waited, before the tap is stopped.
_QUIET_NS = _NS // 2


class GroundTap:
    """Relays both ways; `sent` is what went into the tunnel, `received` what came out of it.

    On a stop it ceases to feed the tunnel, and counts what still comes out of it until it's quiet.
    """

    def __init__(
        self, tunnel_side: UdpPort, tunnel: Endpoint | None, ground_side: UdpPort, ground: Endpoint
    ) -> None:
        """Relay between two sockets; without its address, the tunnel is whoever sends first."""
        self.sent = FlowCount()
        self.received = FlowCount()
        self._tunnel_side = tunnel_side
        self._tunnel = tunnel
        self._ground_side = ground_side
        self._ground = ground
        self._drain = Drain(_QUIET_NS)
        self._began_ns = time.monotonic_ns()
        self._state = "running"
        self._strangers = 0
        self._early = 0

    def run(self, summary: Path | None) -> None:
        """Relay until a signal comes and all is quiet."""
        next_summary_ns = 0
        with SignalPipe(signal.SIGINT, signal.SIGTERM) as signals:
            now_ns = time.monotonic_ns()
            while not self._drain.finished(now_ns):
                now_ns = time.monotonic_ns()
                if now_ns >= next_summary_ns:
                    self._write_summary(summary)
                    next_summary_ns = now_ns + _NS
                wait_s = 0.05 if self._state == "draining" else (next_summary_ns - now_ns) / _NS
                sources = [self._tunnel_side, self._ground_side, signals]
                ready, _, _ = select.select(sources, [], [], wait_s)
                if signals in ready:
                    self._on_signals(signals.pending())
                if self._tunnel_side in ready:
                    self._relay_down()
                if self._ground_side in ready:
                    self._relay_up()
        self._state = "finished"
        self._write_summary(summary)

    def _on_signals(self, numbers: list[int]) -> None:
        for _ in numbers:
            if self._state == "draining":
                self._drain.give_up()
            self._state = "draining"
            self._drain.begin(time.monotonic_ns())

    def _relay_down(self) -> None:
        for datagram, sender in self._tunnel_side.receive_all():
            if self._tunnel is None:
                self._tunnel = sender
            if sender != self._tunnel:
                self._strangers += 1
                continue
            self.received.note(datagram)
            self._drain.note(time.monotonic_ns())
            self._ground_side.send(datagram, self._ground)

    def _relay_up(self) -> None:
        for datagram, sender in self._ground_side.receive_all():
            if sender != self._ground:
                self._strangers += 1
            elif self._tunnel is None:
                self._early += 1
            elif self._state == "running" and self._tunnel_side.send(datagram, self._tunnel):
                self.sent.note(datagram)

    def _write_summary(self, path: Path | None) -> None:
        if path is None:
            return
        summary: dict[str, Any] = {
            "role": "ground_tap",
            "pid": os.getpid(),
            "state": self._state,
            "uptime_s": (time.monotonic_ns() - self._began_ns) / _NS,
            "kernel_drops": self._tunnel_side.kernel_drops,
            "unsent": self._tunnel_side.unsent,
            "strangers": self._strangers,
            "before_tunnel_known": self._early,
            "sent": self.sent.as_dict(),
            "received": self.received.as_dict(),
        }
        write_summary(path, summary)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="ground_tap", description="Counts MAVLink between the tunnel and the ground program."
    )
    address = {"type": endpoint, "metavar": "HOST:PORT"}
    parser.add_argument(
        "--bind", **address, required=True, help="address that the ground tunnel delivers to"
    )
    parser.add_argument(
        "--tunnel",
        **address,
        help="plaintext address of the ground tunnel (default: whoever sends first)",
    )
    parser.add_argument(
        "--ground-bind",
        **address,
        required=True,
        help="own address towards the ground program; port 0 takes a free one",
    )
    parser.add_argument(
        "--ground", **address, required=True, help="address that the ground program listens on"
    )
    parser.add_argument(
        "--summary", type=Path, metavar="FILE", help="counts, rewritten each second"
    )
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Relay until stopped; 0 after a clean stop."""
    options = _parser().parse_args(arguments)
    try:
        tunnel_side = UdpPort(options.bind)
        ground_side = UdpPort(options.ground_bind)
    except OSError as error:
        print(f"ground_tap: {error.strerror or error}", file=sys.stderr)
        return 1
    GroundTap(tunnel_side, options.tunnel, ground_side, options.ground).run(options.summary)
    return 0


if __name__ == "__main__":
    sys.exit(main())
