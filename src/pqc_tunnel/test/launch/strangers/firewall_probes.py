# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Probes of the firewall tests: each arrives, or a counter shows that it was dropped."""

from __future__ import annotations

import contextlib
import errno
import json
import socket
import struct
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from graph_client import PATIENCE_S
from network_namespaces import INTERFACE, Namespace

MULTICAST = {socket.AF_INET: "239.255.0.1", socket.AF_INET6: "ff05::7400"}
# The last rule of a chain counts what the policy of the chain is about to drop. Neighbour
# discovery is ICMP, so that only probes count here.
WITNESS = ("meta", "l4proto", "{ tcp, udp }", "counter", "comment", '"witness"')


class Service(NamedTuple):
    """A transport and a port."""

    transport: str
    port: int


class Firewall:
    """A rules file in a namespace, with counters of what it drops."""

    def __init__(self, host: Namespace, rules: Path) -> None:
        """Load the rules."""
        self._host = host
        host.run("nft", "--file", str(rules))
        for chain in ("input", "output"):
            host.run("nft", "add", "rule", "inet", "pqc", chain, *WITNESS)

    def refused_in(self) -> int:
        """Return how many incoming datagrams and segments were dropped so far."""
        return self._witnessed("input")

    def refused_out(self) -> int:
        """Return how many outgoing datagrams and segments were dropped so far."""
        return self._witnessed("output")

    def _witnessed(self, chain: str) -> int:
        listed = self._host.run("nft", "--json", "list", "chain", "inet", "pqc", chain)
        rules = [entry["rule"] for entry in json.loads(listed)["nftables"] if "rule" in entry]
        witness = next(rule for rule in rules if rule.get("comment") == "witness")
        return next(part["counter"]["packets"] for part in witness["expr"] if "counter" in part)


class Listeners:
    """Sockets on every IPv4 and IPv6 address of a namespace; a context manager."""

    def __init__(self, place: Namespace, services: Iterable[Service]) -> None:
        """Open them; UDP sockets join the multicast groups, too."""
        self._stack = contextlib.ExitStack()
        self._sockets = {service: self._open(place, service) for service in services}

    def __enter__(self) -> Listeners:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close them."""
        self._stack.close()

    def heard(self, service: Service) -> bool:
        """Return whether something has arrived, and remove it."""
        listener = self._sockets[service]
        try:
            if service.transport == "tcp":
                listener.accept()[0].close()
            else:
                listener.recv(100)
        except BlockingIOError:
            return False
        return True

    def silent(self) -> bool:
        """Return whether nothing has arrived anywhere."""
        return not any(self.heard(service) for service in self._sockets)

    def _open(self, place: Namespace, service: Service) -> socket.socket:
        kind = socket.SOCK_STREAM if service.transport == "tcp" else socket.SOCK_DGRAM
        listener = self._stack.enter_context(place.socket(socket.AF_INET6, kind))
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("::", service.port))
        listener.setblocking(False)
        if service.transport == "tcp":
            listener.listen()
        else:
            join_groups(place, listener)
        return listener


def join_groups(place: Namespace, listener: socket.socket) -> None:
    """Let a datagram socket join the multicast groups."""
    with place.inside():
        index = socket.if_nametoindex(INTERFACE)
    for family, level, option in (
        (socket.AF_INET, socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP),
        (socket.AF_INET6, socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP),
    ):
        group = socket.inet_pton(family, MULTICAST[family])
        any_address = bytes(4) if family == socket.AF_INET else b""
        listener.setsockopt(level, option, group + any_address + struct.pack("@i", index))


def address(place: Namespace, family: int) -> str:
    """Return the namespace's address of a family."""
    return place.ipv4 if family == socket.AF_INET else place.ipv6


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Return once the condition holds; AssertionError if it never does."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.002)


def reaches(
    source: Namespace,
    target: str,
    service: Service,
    listeners: Listeners,
    refusals: Callable[[], int],
    source_port: int = 0,
) -> bool:
    """Send one datagram or open a connection; return whether it arrives or is rejected."""
    family = socket.AF_INET6 if ":" in target else socket.AF_INET
    kind = socket.SOCK_STREAM if service.transport == "tcp" else socket.SOCK_DGRAM
    before = refusals()
    heard = False
    with source.socket(family, kind) as probe:
        probe.setblocking(False)
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, INTERFACE.encode())
        if source_port:
            probe.bind(("", source_port))
        if service.transport == "tcp":
            assert probe.connect_ex((target, service.port)) == errno.EINPROGRESS
        else:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            # A firewall at this end reports it at once, one at the other end never does.
            with contextlib.suppress(PermissionError):
                probe.sendto(b"probe", (target, service.port))

        def decided() -> bool:
            nonlocal heard
            heard = listeners.heard(service)
            return heard or refusals() > before

        wait_until(decided, f"{service.transport} {service.port} to be heard or refused")
    return heard


def packet_too_big(
    reporter: Namespace, sender: Namespace, family: int, port: int, mtu: int
) -> None:
    """Send a router's ICMP message that a datagram from a port was too big for the path."""
    ports = struct.pack("!4H", port, port, 8, 0)
    ends = [socket.inet_pton(family, address(end, family)) for end in (sender, reporter)]
    if family == socket.AF_INET6:
        quoted = struct.pack("!IHBB", 6 << 28, len(ports), socket.IPPROTO_UDP, 64)
        report = struct.pack("!BBHI", 2, 0, 0, mtu) + quoted + b"".join(ends) + ports
        protocol = socket.IPPROTO_ICMPV6
    else:
        quoted = struct.pack("!BBHIBBH", 0x45, 0, 28, 0x4000, 64, socket.IPPROTO_UDP, 0)
        rest = struct.pack("!HH", 0, mtu) + quoted + b"".join(ends) + ports
        report = struct.pack("!BBH", 3, 4, internet_checksum(b"\x03\x04\x00\x00" + rest)) + rest
        protocol = socket.IPPROTO_ICMP
    with reporter.inside(), socket.socket(family, socket.SOCK_RAW, protocol) as raw:
        raw.sendto(report, (address(sender, family), 0))


def internet_checksum(data: bytes) -> int:
    """Return the checksum of RFC 1071 over an even number of bytes."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
