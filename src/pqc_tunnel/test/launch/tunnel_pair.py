# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What the launch tests share: a drone and a ground station on free ports of this machine."""

from __future__ import annotations

import contextlib
import os
import random
import socket
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ament_index_python.packages import get_package_prefix
from launch_ros.actions import Node

LOCALHOST = "127.0.0.1"
DRONE = "drone1"
SUITE = "cs-mlkem768-aesgcm-mldsa65"
OTHER_SUITE = "cs-mlkem512-chacha20poly1305-falcon512"


def isolate_graph() -> None:
    """Give this test, and all it starts, a ROS domain that nobody else on this machine uses."""
    os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    for domain in random.sample(range(1, 100), 99):
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as discovery,
        ):
            discovery.bind(("", 7400 + 250 * domain))
            os.environ["ROS_DOMAIN_ID"] = str(domain)
            return
    raise RuntimeError("Every ROS domain is in use.")


def free_ports(count: int) -> list[int]:
    """Return ports that are free now, for UDP and for TCP."""
    with contextlib.ExitStack() as held:
        ports: list[int] = []
        while len(ports) < count:
            udp = held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            udp.bind((LOCALHOST, 0))
            tcp = held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            with contextlib.suppress(OSError):
                tcp.bind(udp.getsockname())
                ports.append(udp.getsockname()[1])
        return ports


def program(name: str) -> str:
    """Return the path of a program of the package under test."""
    return str(Path(get_package_prefix("pqc_tunnel"), "lib", "pqc_tunnel", name))


@dataclass
class TunnelPair:
    """The parameters of both ends, and the ports that applications use."""

    folder: Path
    keeper: tempfile.TemporaryDirectory
    drone: dict[str, Any] = field(default_factory=dict)
    gcs: dict[str, Any] = field(default_factory=dict)
    drone_plaintext: tuple[str, int] = (LOCALHOST, 0)
    gcs_plaintext: tuple[str, int] = (LOCALHOST, 0)

    def nodes(self, **options: Any) -> tuple[Node, Node]:
        """Return the launch actions of the drone's and the ground's node."""
        return (
            _node("pqc", self.drone, **options),
            _node("gcs/pqc", self.gcs, **options),
        )


def _node(namespace: str, parameters: dict[str, Any], **options: Any) -> Node:
    return Node(
        package="pqc_tunnel",
        executable="tunnel_node",
        name="tunnel",
        namespace=namespace,
        parameters=[parameters],
        output="screen",
        **options,
    )


def make_identities(folder: Path) -> tuple[Path, Path]:
    """Make a ground station that knows one drone; return the folders of drone and ground."""
    subprocess.run(
        [
            program("pqc_identity"),
            *("init", "--out", str(folder), "--drone", DRONE),
            *("--signatures", "mldsa65,falcon512"),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return folder / DRONE, folder / "gcs"


def make_tunnel_pair() -> TunnelPair:
    """Make identities and parameters for a pair, in a folder that goes when the pair goes."""
    keeper = tempfile.TemporaryDirectory(prefix="pqc_tunnel_")
    folder = Path(keeper.name)
    drone_dir, gcs_dir = make_identities(folder)
    drone_udp, gcs_udp, handshake, drone_plain, gcs_plain = free_ports(5)
    common = {
        "bind_address": LOCALHOST,
        "plaintext_bind_address": LOCALHOST,
        "handshake_port": handshake,
    }
    return TunnelPair(
        folder=folder,
        keeper=keeper,
        drone={
            **common,
            "role": "drone",
            "identity_dir": str(drone_dir),
            "datagram_port": drone_udp,
            "gcs_address": LOCALHOST,
            "gcs_datagram_port": gcs_udp,
            "plaintext_port": drone_plain,
            "suite": SUITE,
        },
        gcs={
            **common,
            "role": "gcs",
            "identity_dir": str(gcs_dir),
            "datagram_port": gcs_udp,
            "drones": [DRONE],
            f"drone.{DRONE}.plaintext_port": gcs_plain,
        },
        drone_plaintext=(LOCALHOST, drone_plain),
        gcs_plaintext=(LOCALHOST, gcs_plain),
    )
