# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters of a drone's and a ground station's tunnel on one machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from ament_index_python.packages import get_package_share_directory
from pqc_policy.policy.suites import DEFAULT_SUITE
from pqc_testing.ports import LOOPBACK

from pqc_sim.pair.ports import Ports

DRONE = "drone1"
SHIPPED_NODE = "/**/tunnel"


def drone_parameters(ports: Ports, identity: Path, *, emulated_link: bool) -> dict[str, Any]:
    """Return the parameters of the drone that differ from the file that pqc_tunnel installs.

    With `emulated_link` the tunnel connects to the link emulator. Without a port of the application
    it delivers to the latest sender.
    """
    application = ports.drone_application
    return {
        "identity_dir": str(identity),
        "bind_address": LOOPBACK,
        "gcs_address": LOOPBACK,
        "gcs_datagram_port": ports.link_datagram if emulated_link else ports.gcs_datagram,
        "datagram_port": ports.drone_datagram,
        "plaintext_port": ports.drone_plaintext,
        "plaintext_peer_address": LOOPBACK if application else "",
        "plaintext_peer_port": application,
        "mirror_port": 0,
    }


_OF_PROFILE: dict[str, Any] = {
    "suite": DEFAULT_SUITE,
    "min_level": 0,
    "allow_experimental": False,
    "hybrid_x25519": False,
    "anchor": "auto",
}


def gcs_parameters(ports: Ports, identity: Path) -> dict[str, Any]:
    """Return the parameters of the ground station that differ from the installed file."""
    return {
        "identity_dir": str(identity),
        "bind_address": LOOPBACK,
        "datagram_port": ports.gcs_datagram,
        "plaintext_port": ports.gcs_plaintext,
        "plaintext_peer_address": LOOPBACK,
        "plaintext_peer_port": ports.ground_application,
        # Its own STATUSTEXTs would count as datagrams that nobody has sent.
        "announce_decisions": False,
    }


def shipped_parameters(end: str) -> dict[str, Any]:
    """Return all parameters of the file that pqc_tunnel installs for "drone" or "gcs".

    Those that it leaves to the profile have their defaults.
    """
    file = Path(get_package_share_directory("pqc_tunnel")) / "config" / f"{end}.yaml"
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {**_OF_PROFILE, **content[SHIPPED_NODE]["ros__parameters"]}
