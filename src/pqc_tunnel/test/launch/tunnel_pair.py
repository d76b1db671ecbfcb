# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A drone and a ground station on free ports of this machine, for launch tests."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import get_package_prefix
from launch_ros.actions import Node
from pqc_testing.ports import LOOPBACK, free_ports

SUITE = "cs-mlkem768-aesgcm-mldsa65"
OTHER_SUITE = "cs-mlkem512-chacha20poly1305-falcon512"


def program(name: str) -> str:
    """Return the path of a program of the package under test."""
    return str(Path(get_package_prefix("pqc_tunnel"), "lib", "pqc_tunnel", name))


@dataclass
class TunnelPair:
    """The parameters of the ends, and the plaintext ports that applications use."""

    folder: Path
    keeper: tempfile.TemporaryDirectory  # removes the folder at its end
    gcs: dict[str, Any] = field(default_factory=dict)
    drones: dict[str, dict[str, Any]] = field(default_factory=dict)
    drone_plaintexts: dict[str, tuple[str, int]] = field(default_factory=dict)
    gcs_plaintexts: dict[str, tuple[str, int]] = field(default_factory=dict)

    @property
    def drone(self) -> dict[str, Any]:
        """The parameters of the only drone, or the first."""
        return next(iter(self.drones.values()))

    @property
    def drone_plaintext(self) -> tuple[str, int]:
        """The address that programs on that drone send to."""
        return next(iter(self.drone_plaintexts.values()))

    @property
    def gcs_plaintext(self) -> tuple[str, int]:
        """The address that programs on the ground send to for that drone."""
        return next(iter(self.gcs_plaintexts.values()))

    def set_drone(self, name: str, **settings: Any) -> None:
        """Write the plaintext side of a drone that the ground station serves."""
        file = self.folder / "gcs" / "drones" / f"{name}.yaml"
        file.write_text(yaml.safe_dump(settings), encoding="utf-8")

    def nodes(self, **options: Any) -> tuple[Node, Node]:
        """Return the launch actions of the (first) drone's and the ground's node."""
        return (
            tunnel_node("pqc", self.drone, **options),
            tunnel_node("gcs/pqc", self.gcs, **options),
        )


def tunnel_node(namespace: str, parameters: dict[str, Any], **options: Any) -> Node:
    """Return the launch action of one end."""
    return Node(
        package="pqc_tunnel",
        executable="tunnel_node",
        name="tunnel",
        namespace=namespace,
        parameters=[parameters],
        output="screen",
        sigterm_timeout="30",
        **options,
    )


def messengers(drones: tuple[str, ...] = ("pqc",)) -> tuple[Node, ...]:
    """Return the launch actions of the nodes of pqc_policy that use the messages of both ends."""
    ends = {"gcs/pqc": "ground", **dict.fromkeys(drones, "drone")}
    return tuple(
        Node(
            package="pqc_policy",
            executable=f"{end}_messenger_node",
            name="messenger",
            namespace=namespace,
            output="screen",
            sigterm_timeout="30",
        )
        for namespace, end in ends.items()
    )


def make_identities(folder: Path, drones: tuple[str, ...]) -> None:
    """Make the folders gcs and one per drone, with keys for the suites used here."""
    command = [program("pqc"), "identity", "init", "--out", str(folder)]
    for drone in drones:
        command += ["--drone", drone]
    command += ["--signatures", "mldsa65,falcon512", "--anchor", "none"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def make_tunnel_pair(drones: tuple[str, ...] = ("drone1",)) -> TunnelPair:
    """Make identities and parameters of a ground station and its drones."""
    keeper = tempfile.TemporaryDirectory(prefix="pqc_tunnel_")
    pair = TunnelPair(Path(keeper.name), keeper)
    make_identities(pair.folder, drones)
    gcs_udp, *others = free_ports(1 + 3 * len(drones))
    common = {
        "bind_address": LOOPBACK,
        "plaintext_bind_address": LOOPBACK,
        "min_level": 1,
        "peer_timeout_s": 10.0,  # a busy machine may delay an end
    }
    pair.gcs = {
        **common,
        "role": "gcs",
        "identity_dir": str(pair.folder / "gcs"),
        "datagram_port": gcs_udp,
        # Of drone number 0; the files of the drones have those of all.
        "plaintext_port": 1,
    }
    for name in drones:
        drone_udp, drone_plain, gcs_plain, *others = others
        pair.drones[name] = {
            **common,
            "role": "drone",
            "identity_dir": str(pair.folder / name),
            "datagram_port": drone_udp,
            "gcs_address": LOOPBACK,
            "gcs_datagram_port": gcs_udp,
            "plaintext_port": drone_plain,
            "suite": SUITE,
        }
        pair.set_drone(name, plaintext_port=gcs_plain)
        pair.drone_plaintexts[name] = (LOOPBACK, drone_plain)
        pair.gcs_plaintexts[name] = (LOOPBACK, gcs_plain)
    return pair
