# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Paths of programs and link profiles that other packages install."""

from __future__ import annotations

from pathlib import Path

from ament_index_python.packages import (
    PackageNotFoundError,
    get_package_prefix,
    get_package_share_path,
)

from pqc_sim.processes.run_fault import RunFault

TUNNEL = "pqc_tunnel"
# The package of the link emulator, the blaster, the flood, the relay and the speed program.
TOOLS = "pqc_tools"
_LINKS = "links"


def tunnel_program(name: str) -> Path:
    """Return the path of a program of pqc_tunnel; RunFault if it isn't built."""
    return _program(TUNNEL, name)


def tool_program(name: str) -> Path:
    """Return the path of a program of pqc_tools; RunFault if it isn't built."""
    return _program(TOOLS, name)


def link_profiles() -> dict[str, Path]:
    """Return the installed profiles of links by name; RunFault if they aren't built."""
    try:
        folder = get_package_share_path(TOOLS) / _LINKS
    except PackageNotFoundError as error:
        raise RunFault(f"the package {TOOLS} isn't built") from error
    return {file.stem: file for file in sorted(folder.glob("*.yaml"))}


def _program(package: str, name: str) -> Path:
    try:
        program = Path(get_package_prefix(package)) / "lib" / package / name
    except PackageNotFoundError as error:
        raise RunFault(f"the package {package} isn't built") from error
    if not program.is_file():
        raise RunFault(f"this build of {package} has no program {name}")
    return program
