# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""What a demonstration needs before it starts: fresh identities and free ports."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix

from pqc_bench.demo.fault import DemoFault
from pqc_bench.ports import free_ports

DRONE = "drone1"
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


def make_identities(folder: Path) -> dict[str, str]:
    """Make keys for one drone and one ground station; return the launch arguments naming them."""
    try:
        prefix = Path(get_package_prefix("pqc_tunnel"))
    except PackageNotFoundError as error:
        raise DemoFault("the package pqc_tunnel isn't built") from error
    program = prefix / "lib" / "pqc_tunnel" / "pqc_identity"
    keys = folder / "keys"
    command = [str(program), "init", "--out", str(keys), "--drone", DRONE]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise DemoFault(f"pqc_identity can't be run: {error.strerror}") from error
    if done.returncode != 0:
        words = done.stderr.strip().splitlines() or ["it didn't say why"]
        raise DemoFault(f"pqc_identity failed: {words[-1]}")
    return {"gcs_identity_dir": str(keys / "gcs"), "drone_identity_dir": str(keys / DRONE)}


def port_arguments() -> dict[str, str]:
    """Return launch arguments with ports that nobody uses now."""
    return {name: str(port) for name, port in zip(_PORTS, free_ports(len(_PORTS)), strict=True)}
