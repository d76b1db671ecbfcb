# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The test programs of the core, built from the copy that holds the mutants."""

from __future__ import annotations

import subprocess
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.mutants.schemata import HEADER

# Their cases run under a virtual clock: a busy machine kills no mutant.
_ROOMS = ("protocol", "link")


def build_tests(tree: Path, build: Path) -> list[Path]:
    names = sorted(
        file.stem for room in _ROOMS for file in (build / "src" / "test" / room).rglob("test_*.cpp")
    )
    log = tree / ".dev" / "log" / "build-mutants.txt"
    log.parent.mkdir(parents=True, exist_ok=True)
    commands = [
        [
            "cmake", "-S", str(build / "src"), "-B", str(build / "build"), "-G", "Ninja",
            "-DPQC_TUNNEL_ROS=OFF", "-DCMAKE_BUILD_TYPE=RelWithDebInfo",
            f"-DCMAKE_PREFIX_PATH={tree / '.dev' / 'install'}",
            # An index out of range and an empty optional end the program, and so kill their mutant.
            "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g0 -DNDEBUG -D_GLIBCXX_ASSERTIONS -w "
            f"-include {build / 'src' / HEADER}",
        ],
        ["nice", "cmake", "--build", str(build / "build"), "--target", *names],
    ]  # fmt: skip
    with log.open("w") as output:
        for command in commands:
            if subprocess.run(command, stdout=output, stderr=subprocess.STDOUT).returncode != 0:
                raise RunFault(f"the mutants can't be built; see {log.relative_to(tree)}")
    return [build / "build" / name for name in names]
