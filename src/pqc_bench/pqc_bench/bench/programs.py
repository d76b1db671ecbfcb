# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The programs that measurements start."""

from __future__ import annotations

from pathlib import Path

from ament_index_python.packages import PackageNotFoundError, get_package_prefix

from pqc_bench.bench.fault import BenchFault


def tunnel_program(name: str) -> Path:
    """Return the path of a program of the package pqc_tunnel."""
    try:
        program = Path(get_package_prefix("pqc_tunnel")) / "lib" / "pqc_tunnel" / name
    except PackageNotFoundError as error:
        raise BenchFault("the package pqc_tunnel isn't built") from error
    if not program.is_file():
        raise BenchFault(f"this build of pqc_tunnel has no program {name}")
    return program
