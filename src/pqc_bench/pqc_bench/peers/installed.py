# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Which peers are installed on this machine."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

from pqc_sim.pair.programs import tool_program
from pqc_sim.processes.run_fault import RunFault

_TUN = Path("/dev/net/tun")
_NEEDS = {
    "boringtun": ("boringtun-cli", "wg", "ip"),
    "openvpn": ("openvpn", "openssl", "ip"),
}


def why_not(name: str) -> str:
    """Return a sentence if a peer can't run here; otherwise an empty string."""
    if name in _NEEDS:
        return _why_no_vpn(name)
    if name == "reference" and importlib.util.find_spec("pqc_reference") is None:
        return "the package pqc_reference isn't built"
    try:
        if name.startswith("relay"):
            tool_program("pqc_relay")
    except RunFault as fault:
        return str(fault)
    return ""


def _why_no_vpn(name: str) -> str:
    missing = [program for program in _NEEDS[name] if shutil.which(program) is None]
    if missing:
        verb = "isn't" if len(missing) == 1 else "aren't"
        return f"{' and '.join(missing)} {verb} installed"
    if os.geteuid() != 0:
        return "a VPN needs root, for a network namespace of its own"
    if not _TUN.exists():
        return "this machine has no /dev/net/tun"
    return ""
