# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""`ground_tap`: a counting relay between the ground tunnel and the ground program.

It counts the tunnel's output before the ground program can lose any of it, and the ground program's
output before the tunnel can.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from pqc_sim.datagrams.counting import FlowCount
from pqc_sim.datagrams.drain import Drain
from pqc_sim.datagrams.udp_port import Endpoint, UdpPort
from pqc_sim.processes.command_line import Parser, endpoint
from pqc_sim.processes.counting_program import NS, CountingProgram


class GroundTap(CountingProgram):
    """Relays both ways; `sent` counts the input of the tunnel, `received` its output.

    While it drains, it sends nothing into the tunnel and counts the rest of its output.
    """

    def __init__(self, options: argparse.Namespace, tunnel: UdpPort, ground: UdpPort) -> None:
        """Relay between two sockets; without its address, the tunnel is the first sender."""
        super().__init__("ground_tap", [tunnel, ground], options.summary)
        # The senders are silent, and have waited, before the tap is stopped.
        self.drain = Drain(NS // 2)
        self.sent = FlowCount()
        self.received = FlowCount()
        self._tunnel_side, self._ground_side = tunnel, ground
        self._tunnel: Endpoint | None = options.tunnel
        self._ground: Endpoint = options.ground
        self._early = 0

    def exchange(self) -> None:
        for datagram, sender in self._tunnel_side.receive_all():
            if self._tunnel is None:
                self._tunnel = sender
            if sender != self._tunnel:
                self.strangers += 1
                continue
            self.received.note(datagram)
            self.drain.note(time.monotonic_ns())
            self._ground_side.send(datagram, self._ground)
        for datagram, sender in self._ground_side.receive_all():
            if sender != self._ground:
                self.strangers += 1
            elif self._tunnel is None:
                self._early += 1
            elif self.state == "running" and self._tunnel_side.send(datagram, self._tunnel):
                self.sent.note(datagram)

    def counts(self) -> dict[str, Any]:
        return {
            "before_tunnel_known": self._early,
            "sent": self.sent.as_dict(),
            "received": self.received.as_dict(),
        }


def _parser() -> Parser:
    parser = Parser(
        prog="ground_tap", description="Counts MAVLink between the tunnel and the ground program."
    )
    address: dict[str, Any] = {"type": endpoint, "metavar": "HOST:PORT"}
    required = address | {"required": True}
    parser.option("--bind", "address that the ground tunnel delivers to", **required)
    text = "plaintext address of the ground tunnel (default: the first sender)"
    parser.option("--tunnel", text, **address)
    text = "own address towards the ground program; port 0 takes a free one"
    parser.option("--ground-bind", text, **required)
    parser.option("--ground", "address that the ground program listens on", **required)
    text = "file for the counts, rewritten each second"
    parser.option("--summary", text, type=Path, metavar="FILE")
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
    GroundTap(options, tunnel_side, ground_side).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
