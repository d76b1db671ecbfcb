# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which types of peers are installed on this machine."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

from pqc_sim.pair.programs import tool_program
from pqc_sim.processes.run_fault import RunFault

_TUN = Path("/dev/net/tun")
_NEEDS = {
    "wireguard-go": ("wireguard-go", "wg", "ip"),
    "openvpn": ("openvpn", "openssl", "ip"),
}


def why_not(kind: str) -> str:
    """Return a sentence if a type of peer is missing; otherwise an empty string."""
    if kind in _NEEDS:
        return _why_no_vpn(kind)
    if kind == "reference" and importlib.util.find_spec("pqc_reference") is None:
        return "the package pqc_reference isn't built"
    try:
        if kind.startswith("relay"):
            tool_program("pqc_relay")
    except RunFault as fault:
        return str(fault)
    return ""


def _why_no_vpn(kind: str) -> str:
    missing = [program for program in _NEEDS[kind] if shutil.which(program) is None]
    if missing:
        verb = "isn't" if len(missing) == 1 else "aren't"
        return f"{' and '.join(missing)} {verb} installed"
    if os.geteuid() != 0:
        return "a VPN needs root, for a network namespace of its own"
    if not _TUN.exists():
        return "this machine has no /dev/net/tun"
    return ""
