# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The firewalls of config/nftables: they pass the tunnel and nothing readable, each way."""

from __future__ import annotations

import contextlib
import socket
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

import launch_testing
import launch_testing.actions
import pytest
from ament_index_python.packages import get_package_share_path
from launch import LaunchDescription
from launch_testing.util import KeepAliveProc

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from firewall_probes import (
    MULTICAST,
    Firewall,
    Listeners,
    Service,
    address,
    packet_too_big,
    reaches,
    wait_until,
)
from graph_client import PATIENCE_S
from network_namespaces import Namespace, joined_namespaces, why_not
from pqc_testing.ports import LOOPBACK
from tunnel_pair import make_identities, program

CONFIG = get_package_share_path("pqc_tunnel") / "config"
WHY_NOT = why_not("nft")
FAMILIES = (socket.AF_INET, socket.AF_INET6)
BROADCAST = "192.0.2.255"

DATA = {"drone": Service("udp", 46011), "ground": Service("udp", 46012)}
READABLE_UDP = [
    *(Service("udp", port) for port in range(14540, 14561)),  # MAVLink, by custom
    *(Service("udp", port) for port in (14590, 14595)),  # the tunnel's plaintext side
    *(Service("udp", port) for port in (7000, 7400, 7410, 7411)),  # RTPS
    Service("udp", 41234),  # a client socket, at a port of the system's choice
]
READABLE = [
    *READABLE_UDP,
    *(Service("tcp", port) for port in (5760, 5762)),  # mavlink-router, SITL
    *(Service("tcp", port) for port in (7447, 50051)),  # Zenoh, mavsdk_server
    Service("tcp", 22),
]
EVERYTHING = [*READABLE, *DATA.values()]


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    """Start nothing: each test makes its own machines."""
    return LaunchDescription([KeepAliveProc(), launch_testing.actions.ReadyToTest()])


@contextlib.contextmanager
def walled(end: str) -> Iterator[tuple[Namespace, Firewall, Namespace]]:
    """Make a host with a firewall, and a stranger in its network."""
    with joined_namespaces("host", "stranger") as (host, stranger):
        yield host, Firewall(host, rules(end)), stranger


def rules(end: str) -> Path:
    """Return the file with an end's firewall."""
    return CONFIG / "nftables" / f"{end}.nft"


def nothing_refused() -> int:
    """Replace the counters of a firewall where there is none."""
    return 0


@unittest.skipIf(WHY_NOT, WHY_NOT)
class TestFirewall(unittest.TestCase):
    """A host behind each file, and a stranger in its network."""

    def test_without_a_firewall_a_stranger_reaches_every_socket(self) -> None:
        with (
            joined_namespaces("host", "stranger") as (host, stranger),
            Listeners(host, EVERYTHING) as listeners,
        ):
            probes = [
                *((address(host, family), EVERYTHING) for family in FAMILIES),
                *((target, READABLE_UDP) for target in (*MULTICAST.values(), BROADCAST)),
            ]
            for target, services in probes:
                for service in services:
                    self.assertTrue(reaches(stranger, target, service, listeners, nothing_refused))

    def test_a_stranger_reaches_the_tunnel_and_nothing_else(self) -> None:
        for end in DATA:
            with walled(end) as (host, firewall, stranger), Listeners(host, EVERYTHING) as heard:
                for family in FAMILIES:
                    target = address(host, family)
                    reached = {
                        service
                        for service in EVERYTHING
                        if reaches(stranger, target, service, heard, firewall.refused_in)
                    }
                    with self.subTest(end=end, target=target):
                        self.assertEqual(reached, {DATA[end]})

    def test_multicast_and_broadcast_reach_nothing(self) -> None:
        for end in DATA:
            with walled(end) as (host, firewall, stranger), Listeners(host, READABLE_UDP) as heard:
                for target in (*MULTICAST.values(), BROADCAST):
                    for service in READABLE_UDP:
                        with self.subTest(end=end, target=target, service=service):
                            self.assertFalse(
                                reaches(stranger, target, service, heard, firewall.refused_in)
                            )

    def test_nothing_readable_leaves(self) -> None:
        for end in DATA:
            with walled(end) as (host, firewall, stranger), Listeners(stranger, READABLE) as heard:
                probes = [
                    *((address(stranger, family), READABLE) for family in FAMILIES),
                    *((target, READABLE_UDP) for target in (*MULTICAST.values(), BROADCAST)),
                ]
                for target, services in probes:
                    for service in services:
                        with self.subTest(end=end, target=target, service=service):
                            self.assertFalse(
                                reaches(host, target, service, heard, firewall.refused_out)
                            )

    def test_a_program_that_answers_strangers_is_not_heard_by_them(self) -> None:
        mavros, elsewhere = Service("udp", 14555), Service("udp", 50000)
        for end in DATA:
            with (
                walled(end) as (host, firewall, stranger),
                Listeners(host, [mavros]) as inside,
                Listeners(stranger, [elsewhere]) as outside,
            ):
                for family in FAMILIES:
                    question = (stranger, address(host, family), mavros, inside)
                    answer = (host, address(stranger, family), elsewhere, outside)
                    with self.subTest(end=end, family=family):
                        self.assertFalse(reaches(*question, firewall.refused_in, elsewhere.port))
                        self.assertFalse(reaches(*answer, firewall.refused_out, mavros.port))
                        # Not even after the host has sent something there.
                        self.assertFalse(reaches(*question, firewall.refused_in, elsewhere.port))

    def test_a_connection_from_before_the_rules_carries_nothing_any_more(self) -> None:
        for end in DATA:
            with (
                self.subTest(end=end),
                joined_namespaces() as (host, stranger),
                host.socket(socket.AF_INET, socket.SOCK_STREAM) as server,
                stranger.socket(socket.AF_INET, socket.SOCK_STREAM) as client,
            ):
                server.bind((host.ipv4, 5760))
                server.listen()
                client.connect(server.getsockname())
                connection, _ = server.accept()
                with connection:
                    firewall = Firewall(host, rules(end))
                    connection.sendall(b"telemetry")
                    wait_until(firewall.refused_out, "what the host sends to be refused")
                    client.sendall(b"command")
                    wait_until(firewall.refused_in, "what the stranger sends to be refused")
                    for ending in (client, connection):
                        ending.setblocking(False)
                        self.assertRaises(BlockingIOError, ending.recv, 100)

    def test_servers_of_names_and_of_time_can_be_asked(self) -> None:
        for end in DATA:
            with walled(end) as (host, _, stranger):
                for family in FAMILIES:
                    for port in (53, 123):
                        with (
                            self.subTest(end=end, family=family, port=port),
                            stranger.socket(family, socket.SOCK_DGRAM) as server,
                            host.socket(family, socket.SOCK_DGRAM) as client,
                        ):
                            server.settimeout(PATIENCE_S)
                            client.settimeout(PATIENCE_S)
                            server.bind((address(stranger, family), port))
                            client.sendto(b"question", server.getsockname())
                            question, asker = server.recvfrom(100)
                            server.sendto(b"answer", asker)
                            self.assertEqual((question, client.recv(100)), (b"question", b"answer"))

    def test_a_path_with_a_smaller_mtu_is_found(self) -> None:
        for end in DATA:
            with walled(end) as (host, _, stranger), Listeners(host, [DATA[end]]):
                for family in FAMILIES:
                    packet_too_big(stranger, host, family, DATA[end].port, mtu=1300)
                    wait_for_mtu(1300, host, address(stranger, family))

    def test_loading_again_and_removing_leave_the_tables_of_others_alone(self) -> None:
        for end in DATA:
            with self.subTest(end=end), joined_namespaces() as (host, _):
                host.run("nft", "add table inet filter; add chain inet filter theirs")
                before = host.run("nft", "list", "ruleset")
                host.run("nft", "--file", str(rules(end)))
                once = host.run("nft", "list", "ruleset")
                host.run("nft", "--file", str(rules(end)))
                self.assertEqual(host.run("nft", "list", "ruleset"), once)
                self.assertIn(before, once)
                host.run("nft", "delete", "table", "inet", "pqc")
                self.assertEqual(host.run("nft", "list", "ruleset"), before)


@unittest.skipIf(WHY_NOT, WHY_NOT)
class TestTunnelBetweenFirewalls(unittest.TestCase):
    """A drone and a ground station with the files of config, both behind their firewall."""

    def test_datagrams_pass_both_ways_over_ipv4(self) -> None:
        self.pass_both_ways(socket.AF_INET)

    def test_datagrams_pass_both_ways_over_ipv6(self) -> None:
        self.pass_both_ways(socket.AF_INET6)

    def pass_both_ways(self, family: int) -> None:
        """Start both ends, and wait until datagrams arrive on both sides."""
        with contextlib.ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            make_identities(folder / "keys", ("drone1",))
            drone, ground = stack.enter_context(joined_namespaces("drone", "ground"))
            Firewall(drone, rules("drone"))
            Firewall(ground, rules("ground"))
            start_tunnel(ground, "gcs", identity_dir=str(folder / "keys/gcs"))
            start_tunnel(
                drone,
                "drone",
                identity_dir=str(folder / "keys/drone1"),
                gcs_address=address(ground, family),
            )
            flying = stack.enter_context(drone.socket(socket.AF_INET, socket.SOCK_DGRAM))
            flying.connect((LOOPBACK, 14590))
            watching = stack.enter_context(ground.socket(socket.AF_INET, socket.SOCK_DGRAM))
            watching.bind((LOOPBACK, 14550))
            watching.connect((LOOPBACK, 14551))
            wait_until(lambda: passes(flying, watching), "the ground to hear the drone")
            wait_until(lambda: passes(watching, flying), "the drone to hear the ground")


def wait_for_mtu(mtu: int, host: Namespace, target: str) -> None:
    """Return once a host knows the path MTU to a target."""
    wait_until(
        lambda: f"mtu {mtu}" in host.run("ip", "route", "get", target),
        f"the host to learn the MTU of the path to {target}",
    )


def start_tunnel(place: Namespace, role: str, **parameters: str) -> None:
    """Start one end by its file in config, with some parameters changed."""
    options = [f"{name}:={value}" for name, value in parameters.items()]
    place.start(
        program("pqc_tunneld"),
        *("--config", str(CONFIG / f"{role}.yaml")),
        *(word for option in options for word in ("-p", option)),
    )


def passes(near: socket.socket, far: socket.socket) -> bool:
    """Send a datagram and return whether one has arrived."""
    with contextlib.suppress(ConnectionRefusedError):  # that end does not run yet
        near.send(b"datagram")
    far.settimeout(0.1)
    try:
        return far.recv(100) == b"datagram"
    except (TimeoutError, ConnectionRefusedError):
        return False
