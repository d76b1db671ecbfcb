# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The files for mavlink-router: closed, and with the ports of the tunnel's parameter files."""

from __future__ import annotations

import configparser
import re
import unittest

import launch_testing.actions
import pytest
import yaml
from ament_index_python.packages import get_package_share_path
from launch import LaunchDescription
from launch_testing.util import KeepAliveProc

CONFIG = get_package_share_path("pqc_tunnel") / "config"
ENDS = ("drone", "ground")


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    """Start nothing: only files are read."""
    return LaunchDescription([KeepAliveProc(), launch_testing.actions.ReadyToTest()])


def text_of(end: str) -> str:
    """Return one of the files."""
    return (CONFIG / "mavlink-router" / f"{end}.conf").read_text(encoding="utf-8")


def sections_of(end: str) -> configparser.ConfigParser:
    """Return the sections of one of the files."""
    parser = configparser.ConfigParser(comment_prefixes="#", delimiters="=")
    parser.read_string(text_of(end))
    return parser


def parameters_of(role: str) -> dict[str, object]:
    """Return the tunnel's parameters from its file in config."""
    text = (CONFIG / f"{role}.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text)["/**/tunnel"]["ros__parameters"]


class TestRouterFiles(unittest.TestCase):
    """The ports that mavlink-router opens with them."""

    def test_no_tcp_server_listens(self) -> None:
        for end in ENDS:
            self.assertEqual(sections_of(end)["General"]["TcpServerPort"], "0", end)

    def test_every_address_is_loopback_even_those_commented_out(self) -> None:
        for end in ENDS:
            addresses = re.findall(r"^#?Address = (.*)$", text_of(end), re.MULTILINE)
            self.assertGreater(len(addresses), 2)
            self.assertEqual(set(addresses), {"127.0.0.1"}, end)

    def test_the_only_unbound_socket_is_the_drones_towards_the_tunnel(self) -> None:
        unbound = [
            (end, name)
            for end in ENDS
            for name, section in sections_of(end).items()
            if section.get("Mode", "Server") != "Server"
        ]
        self.assertEqual(unbound, [("drone", "UdpEndpoint tunnel")])

    def test_the_drones_mavlink_goes_to_the_tunnel(self) -> None:
        tunnel = sections_of("drone")["UdpEndpoint tunnel"]
        parameters = parameters_of("drone")
        self.assertEqual(tunnel["Address"], parameters["plaintext_bind_address"])
        self.assertEqual(tunnel.getint("Port"), parameters["plaintext_port"])
        self.assertEqual(parameters["plaintext_peer_port"], 0)

    def test_the_ground_does_not_speak_for_the_vehicle(self) -> None:
        self.assertEqual(sections_of("drone")["UdpEndpoint tunnel"]["BlockSrcSysIn"], "1")
        # The section for a bound socket, too.
        self.assertEqual(len(re.findall(r"^#?BlockSrcSysIn = 1$", text_of("drone"), re.M)), 2)

    def test_what_believes_the_vehicle_hears_the_vehicle_alone(self) -> None:
        # A frame of the ground may hide one of the vehicle, which BlockSrcSysIn does not see.
        self.assertEqual(sections_of("drone")["UdpEndpoint mavros"]["AllowSrcSysOut"], "1")

    def test_the_tunnels_mavlink_comes_to_the_grounds_router(self) -> None:
        drone = sections_of("ground")["UdpEndpoint drone1"]
        parameters = parameters_of("gcs")
        self.assertEqual(drone["Address"], parameters["plaintext_peer_address"])
        self.assertEqual(drone.getint("Port"), parameters["plaintext_peer_port"])

    def test_no_port_of_udp_or_tcp_is_used_twice(self) -> None:
        for end, role in (("drone", "drone"), ("ground", "gcs")):
            ports = [
                (name.startswith("UdpEndpoint"), section.getint("Port"))
                for name, section in sections_of(end).items()
                if section.get("Mode") == "Server" or "RetryTimeout" in section
            ]
            tunnels = [
                (True, port)
                for name, port in parameters_of(role).items()
                if name.endswith(("plaintext_port", "mirror_port")) and port
            ]
            self.assertEqual(len({*ports, *tunnels}), len(ports) + len(tunnels), end)
