# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A drone and its ground station in their places, and the applications of both."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pqc_sim.datagrams.udp_port import Endpoint
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.child import stop
from pqc_testing.ports import LOOPBACK, free_ports

from pqc_bench.harness.blaster import Applications
from pqc_bench.harness.daemons import Daemons
from pqc_bench.harness.places import ATTACKER, DRONE, GROUND, Namespaces

ENDS = (DRONE, GROUND)
_CLIENT_HELLO = 0x81
_RECORDED = 3
_RECORD_S, _SESSION_S, _POLL_S = 30.0, 60.0, 0.01
# In the drone's log.
_WIPED, _STARTED = "session keys are wiped", "handshake started"


class LivePair:
    """Both ends as daemons; they end with the stack."""

    def __init__(
        self,
        folder: Path,
        stack: contextlib.ExitStack,
        changes: dict[str, Any] | None = None,
        others: Sequence[str] = (),
    ) -> None:
        """Make places and keys; `changes` are parameters of both ends.

        The ground station has a key for `others`, too.
        """
        self._stack, self._changes, self._others = stack, changes or {}, others
        self.tunnels = Daemons(folder, [DRONE, *others], stack)
        self.places = self.tunnels.places
        ports = free_ports(6 + len(others))
        self._ports = {end: ports[i : i + 3] for end, i in ((DRONE, 0), (GROUND, 3))}
        self._spare = ports[6:]
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._to = self.link(GROUND)

    def link(self, end: str) -> Endpoint:
        """Return where an end takes datagrams of the other."""
        return Endpoint(self.places.at(end), self._ports[end][0])

    @property
    def applications(self) -> Applications:
        of = {end: [Endpoint(LOOPBACK, port) for port in self._ports[end][1:]] for end in ENDS}
        return Applications(of[DRONE][0], of[GROUND][0], of[DRONE][1], of[GROUND][1])

    @property
    def namespaces(self) -> dict[str, int]:
        """Processes of the namespaces of both ends, as Blaster names these; empty on loopback."""
        if not isinstance(self.places, Namespaces):
            return {}
        return {"drone": self.processes[DRONE].pid, "ground": self.processes[GROUND].pid}

    def application(self, end: str) -> socket.socket:
        """Return the socket of an application, connected to its end."""
        _, plaintext, own = self._ports[end]
        udp = self._stack.enter_context(self.places.udp(end, own, LOOPBACK))
        udp.connect((LOOPBACK, plaintext))
        return udp

    def start(self, to: Endpoint | None = None, hellos: Path | None = None) -> None:
        """Start both, and wait for the session.

        The drone sends to `to`; its first hellos go to a file, if one is given.
        """
        self._to = to or self._to
        if hellos is not None:
            self.start_drone()
            with self.places.udp(GROUND, self.link(GROUND).port) as udp:
                _record(udp, hellos)
        plaintext, application = self._ports[GROUND][1:]
        own: dict[str, Any] = {
            "datagram_port": self.link(GROUND).port,
            "plaintext_port": plaintext,
            "plaintext_peer_address": LOOPBACK,
            "plaintext_peer_port": application,
            # Its own STATUSTEXTs would count as datagrams that nobody has sent.
            "announce_decisions": False,
        }
        for other, port in zip(self._others, self._spare, strict=True):
            self.tunnels.set_drone(
                other, plaintext_port=port, plaintext_peer_address="", plaintext_peer_port=0
            )
        self.processes[GROUND] = self.tunnels.start(GROUND, {**own, **self._changes})
        if hellos is None:
            self.start_drone()
        for end in ENDS:
            self.tunnels.wait_encrypted(end)

    def start_drone(self, host: str | None = None) -> None:
        """Start the drone, anew if it runs; at another address, if one is given."""
        if DRONE in self.processes:
            stop(self.processes[DRONE])
        port, plaintext, application = self._ports[DRONE]
        own = {
            "gcs_address": self._to.host,
            "gcs_datagram_port": self._to.port,
            "datagram_port": port,
            "bind_address": host or self.places.at(DRONE),
            "plaintext_port": plaintext,
            "plaintext_peer_address": LOOPBACK,
            "plaintext_peer_port": application,
            "mirror_port": 0,
        }
        self.processes[DRONE] = self.tunnels.start(DRONE, {**own, **self._changes})

    def start_attacker(self, module: str, *words: object) -> subprocess.Popen[str]:
        """Start a program of this package at the attackers' place; its output goes to a pipe."""
        with self.places.inside(ATTACKER):
            return subprocess.Popen(
                [sys.executable, "-m", f"pqc_bench.{module}", *map(str, words)],
                stdout=subprocess.PIPE,
                text=True,
            )

    def rekey_ms(self, request: str = "rekey") -> float:
        """Have the drone get new keys; return how long that took, or RunFault with the reason."""
        answer = self.tunnels.ask(DRONE, request)
        if not answer["success"]:
            raise RunFault(f"a {request} failed: {answer['message']}")
        return round(1e3 * (answer["handshake"]["total_s"] + answer["handshake"]["fetch_s"]), 3)

    def reconnect_ms(self) -> float:
        """Have the drone wipe its keys; return the time until its next session is made.

        The ground station has it, too, then.
        """
        before = {end: self.tunnels.peer(end)["handshakes"] for end in ENDS}
        deadline = time.monotonic() + _SESSION_S
        self.tunnels.ask(DRONE, "wipe")
        for end in ENDS:
            while self.tunnels.peer(end)["handshakes"] == before[end]:
                if time.monotonic() > deadline:
                    raise RunFault(f"the {end} got no new session after the keys were wiped")
                time.sleep(_POLL_S)
        attempt_s = self.tunnels.peer(DRONE)["handshake"]["total_s"]
        return round(1e3 * (attempt_s + _tried_s(self.tunnels.said(DRONE))), 3)


def _tried_s(log: str) -> float:
    """Return the time from the last wipe to the attempt that succeeded: 0 for the first one."""
    wiped = started = ""
    for line in log.splitlines():
        when, _, text = line.partition(" ")
        wiped = when if _WIPED in text else wiped
        started = when if _STARTED in text else started
    return (datetime.fromisoformat(started) - datetime.fromisoformat(wiped)).total_seconds()


def _record(udp: socket.socket, file: Path) -> None:
    """Write hellos that a drone sends to a ground station that does not run yet."""
    hellos: set[bytes] = set()
    udp.settimeout(_RECORD_S)
    while len(hellos) < _RECORDED:
        try:
            datagram = udp.recv(2048)
        except TimeoutError:
            raise RunFault(f"the drone sent no hello within {_RECORD_S:.0f} s") from None
        if datagram[:1] == bytes([_CLIENT_HELLO]):
            hellos.add(datagram)
    file.write_bytes(b"".join(sorted(hellos)))
