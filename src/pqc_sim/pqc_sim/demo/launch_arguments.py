# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What a demonstration needs before it starts: fresh identities and free ports."""

from __future__ import annotations

from pathlib import Path

from pqc_sim.pair.identities import make_identities
from pqc_sim.pair.parameters import DRONE
from pqc_sim.pair.ports import free_ports

_PORTS = (
    "drone_plaintext_port",
    "gcs_plaintext_port",
    "tap_port",
    "ground_port",
    "drone_datagram_port",
    "gcs_datagram_port",
    "link_datagram_port",
    "handshake_port",
    "link_handshake_port",
    "mirror_port",
)


def identity_arguments(folder: Path) -> dict[str, str]:
    """Make fresh keys below a folder; return the launch arguments that name them."""
    keys = make_identities(folder / "keys")
    return {"gcs_identity_dir": str(keys / "gcs"), "drone_identity_dir": str(keys / DRONE)}


def port_arguments() -> dict[str, str]:
    """Return launch arguments with ports that nobody uses now."""
    return {name: str(port) for name, port in zip(_PORTS, free_ports(len(_PORTS)), strict=True)}
