# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The places of both ends of a tunnel and their attackers: as root, a network namespace each.

The namespace of the attackers is the router between those of both ends. Without root all are on the
loopback interface.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket

from pqc_sim.datagrams.udp_port import enlarge_receive_buffer
from pqc_sim.processes.run_fault import RunFault
from pqc_testing.ports import LOOPBACK, STRANGERS

from pqc_bench.harness.network import Network

GROUND, DRONE, ATTACKER = "gcs", "drone", "attacker"
_ENDS = (DRONE, GROUND)
# TEST-NET-1 (RFC 5737) and the addresses for benchmarks (RFC 2544).
_NETWORKS = dict(zip(_ENDS, ipaddress.ip_network((0xC0000200, 28)).subnets(1), strict=True))
_STRANGERS = ipaddress.ip_network((0xC6120000, 15))
# Bytes that wait before a narrow link, and those that it takes at once.
_QUEUE_BYTES, _BURST_BYTES = 20_000, 3000


class Places:
    """All places on the loopback interface."""

    network = "loopback"
    # Another address for the drone, and the first one of many strangers.
    elsewhere = str(ipaddress.ip_address(LOOPBACK) + 1)
    strangers = STRANGERS

    def at(self, place: str) -> str:
        """Return the address of a place: the attackers are another host than the ends."""
        return str(ipaddress.ip_address(LOOPBACK) + 2) if place == ATTACKER else LOOPBACK

    def inside(self, place: str) -> contextlib.AbstractContextManager[None]:
        """Return a context manager that moves this thread, and what it starts, to a place."""
        del place
        return contextlib.nullcontext()

    def udp(self, place: str, port: int = 0, host: str | None = None) -> socket.socket:
        with self.inside(place):
            udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        enlarge_receive_buffer(udp)
        udp.bind((host or self.at(place), port))
        return udp


class Namespaces(Places):
    """Each place in a namespace of its own."""

    network = "namespaces"

    def __init__(self, stack: contextlib.ExitStack) -> None:
        """Make and connect them; they end with the stack. RunFault if that isn't allowed."""
        self._networks = {place: stack.enter_context(Network()) for place in (*_ENDS, ATTACKER)}
        self._hosts = {end: list(_NETWORKS[end].hosts()) for end in _ENDS}
        self.elsewhere = str(self._hosts[DRONE][2])
        self.strangers = str(_STRANGERS[1])
        router = self._networks[ATTACKER]
        for end in _ENDS:
            gateway, own, *_ = self._hosts[end]
            length = _NETWORKS[end].prefixlen
            router.connect(end, f"{gateway}/{length}", self._networks[end], f"{own}/{length}")
            self._networks[end].run("ip", "route", "add", "default", "via", str(gateway))
        spare = f"{self.elsewhere}/{_NETWORKS[DRONE].prefixlen}"
        self._networks[DRONE].run("ip", "address", "add", spare, "dev", DRONE)
        router.set_option("ipv4/ip_forward", "1")
        router.run("ip", "route", "add", "local", str(_STRANGERS), "dev", "lo")

    def at(self, place: str) -> str:
        """Return the address of a place; that of the attackers is on the drone's side."""
        return str(self._hosts[DRONE][0] if place == ATTACKER else self._hosts[place][1])

    def inside(self, place: str) -> contextlib.AbstractContextManager[None]:
        """Return a context manager that moves this thread, and what it starts, to a place."""
        return self._networks[place].inside()

    def narrow(self, end: str, rate_kbit: int) -> None:
        """Let no more than a rate leave an end."""
        self._networks[end].run(
            *("tc", "qdisc", "add", "dev", end, "root", "tbf", "rate", f"{rate_kbit}kbit"),
            *("burst", str(_BURST_BYTES), "limit", str(_QUEUE_BYTES)),
        )


def make_places(stack: contextlib.ExitStack) -> Places:
    """Return namespaces, or the loopback interface where this process may not make any."""
    with contextlib.ExitStack() as made, contextlib.suppress(RunFault):
        namespaces = Namespaces(made)
        stack.push(made.pop_all())
        return namespaces
    return Places()


def sentence(network: str) -> str:
    """Return in a line where the ends and their attackers were."""
    if network == Namespaces.network:
        return "  network          drone, ground station and attackers in a namespace each"
    return "  network          all on the loopback interface: namespaces need root"
