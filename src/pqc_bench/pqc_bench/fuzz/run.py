# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench fuzz`: the tests of the fuzz targets, for longer."""

from __future__ import annotations

import argparse
import shutil
import subprocess

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.harness.source_tree import source_tree

_COMPILER = "clang++-14"


def run(options: argparse.Namespace) -> int:
    """Fuzz; 0 if nothing was found."""
    if shutil.which(_COMPILER) is None:
        raise RunFault(f"'{_COMPILER}' is not installed: run './dev setup'")
    tree = source_tree()
    build = str(tree / ".dev" / "build" / "fuzz")
    program = f"fuzz_{options.target}" if options.target else "fuzz_targets"
    tests = ["-R", f"^{program}$"] if options.target else ["-L", "fuzz"]
    commands = [
        [
            "cmake", "-S", str(tree / "src" / "pqc_tunnel"), "-B", build, "-G", "Ninja",
            "-DPQC_TUNNEL_ROS=OFF", "-DPQC_TUNNEL_FUZZ=ON", "-DPQC_TUNNEL_SANITIZE=address",
            f"-DPQC_TUNNEL_FUZZ_SECONDS={options.seconds}",
            f"-DCMAKE_PREFIX_PATH={tree / '.dev' / 'install'}",
            f"-DCMAKE_CXX_COMPILER={_COMPILER}",
            "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG",
        ],
        ["cmake", "--build", build, "--target", program],
        ["ctest", "--test-dir", build, "--output-on-failure", *tests],
    ]  # fmt: skip
    return int(any(subprocess.run(command, check=False).returncode for command in commands))
