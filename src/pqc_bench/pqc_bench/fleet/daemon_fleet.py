# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A ground station and its drones as daemons on the loopback interface."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import stop
from pqc_testing.ports import LOOPBACK, free_ports

from pqc_bench.harness.blaster import Applications, Blaster
from pqc_bench.harness.daemons import Daemons
from pqc_bench.harness.places import GROUND, Places

# A member of the fleet that is none of the drones.
HOSTILE = "hostile"
_SESSIONS_S, _POLL_S = 120.0, 0.1
_STARTED_AT_ONCE = 4


def blaster(
    ways: Sequence[tuple[Endpoint, Endpoint]],
    applications: Mapping[str, Endpoint],
    rate: int,
    size: int,
    windows: int,
) -> Blaster:
    """Start to send in turn to the plaintext ports of each drone and of the ground for it."""
    (drone, ground), *others = ways
    where = Applications(drone, ground, applications["drone"], applications[GROUND])
    return Blaster(where, rate, size, windows, others=others)


class DaemonFleet:
    """All daemons; they end with the stack."""

    def __init__(self, folder: Path, drones: int, stack: contextlib.ExitStack) -> None:
        """Make keys and start everything; `sessions` tells when the sessions stand."""
        self._names = [f"drone{number}" for number in range(1, drones + 1)]
        members = [*self._names, HOSTILE]
        self.tunnels = Daemons(folder, members, stack, Places(), drones_sign=False)
        ports = iter(free_ports(3 * len(members) + 3))
        self.link = Endpoint(LOOPBACK, next(ports))
        self._ground_plaintext = {name: Endpoint(LOOPBACK, next(ports)) for name in members}
        self._drone_plaintext = {name: Endpoint(LOOPBACK, next(ports)) for name in members}
        self._drone_link = {name: next(ports) for name in members}
        self.applications = {end: Endpoint(LOOPBACK, next(ports)) for end in ("drone", GROUND)}
        self.ground = self._start_ground()
        with ThreadPoolExecutor(_STARTED_AT_ONCE) as starters:
            list(starters.map(self._start_drone, self._names))

    def restart(self) -> float:
        """Restart the ground station; return the seconds until all have a session again."""
        stop(self.ground)
        begun = time.monotonic()
        self.ground = self._start_ground()
        self.wait_for_sessions()
        return time.monotonic() - begun

    def wait_for_sessions(self) -> None:
        """Wait until all drones have a session; RunFault if that takes too long."""
        end = time.monotonic() + _SESSIONS_S
        while (missing := self._without_session()) > 0:
            if time.monotonic() > end:
                raise RunFault(f"{missing} of {len(self._names)} drones got no session")
            time.sleep(_POLL_S)

    def blaster(self, rate: int, size: int, windows: int) -> Blaster:
        """Start to send through all drones in turn, each way."""
        ways = [(self._drone_plaintext[one], self._ground_plaintext[one]) for one in self._names]
        return blaster(ways, self.applications, rate, size, windows)

    def _without_session(self) -> int:
        peers = self.tunnels.ask(GROUND, "status")["peers"]
        return sum(not peer["encrypted"] for peer in peers if peer["name"] != HOSTILE)

    def _start_ground(self) -> subprocess.Popen[bytes]:
        own = {
            "datagram_port": self.link.port,
            "plaintext_peer_address": LOOPBACK,
            "plaintext_peer_port": self.applications[GROUND].port,
            # Its own STATUSTEXTs would count as datagrams that nobody has sent.
            "announce_decisions": False,
        }
        for name, plaintext in self._ground_plaintext.items():
            nobody = {"plaintext_peer_address": "", "plaintext_peer_port": 0}
            self.tunnels.set_drone(
                name, plaintext_port=plaintext.port, **(nobody if name == HOSTILE else {})
            )
        return self.tunnels.start(GROUND, own)

    def _start_drone(self, name: str) -> None:
        own = {
            "gcs_address": self.link.host,
            "gcs_datagram_port": self.link.port,
            "datagram_port": self._drone_link[name],
            "plaintext_port": self._drone_plaintext[name].port,
            "plaintext_peer_address": LOOPBACK,
            "plaintext_peer_port": self.applications["drone"].port,
            "mirror_port": 0,
        }
        self.tunnels.start(name, own)
