# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""A package of the name mavros, whose mavros_node is the stand-in."""

from __future__ import annotations

import sys
from pathlib import Path

STAND_IN = Path(__file__).with_name("mavros_stand_in.py")


def install_stand_in(folder: Path) -> Path:
    """Install the package below a folder; return its prefix, for AMENT_PREFIX_PATH."""
    prefix = folder / "mavros"
    program = prefix / "lib" / "mavros" / "mavros_node"
    marker = prefix / "share" / "ament_index" / "resource_index" / "packages" / "mavros"
    launch = prefix / "share" / "mavros" / "launch"
    for parent in (program.parent, marker.parent, launch):
        parent.mkdir(parents=True)
    marker.touch()
    program.write_text(f"#!{sys.executable}\n{STAND_IN.read_text()}")
    program.chmod(0o755)
    for name in ("apm_pluginlists.yaml", "apm_config.yaml"):
        (launch / name).write_text("/**:\n  ros__parameters:\n    fcu_protocol: v2.0\n")
    return prefix
