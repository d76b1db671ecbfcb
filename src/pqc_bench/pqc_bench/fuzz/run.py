# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Runs `bench fuzz`."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from pqc_sim.processes.run_fault import RunFault

from pqc_bench.fuzz.command import targets
from pqc_bench.harness.source_tree import source_tree

_COMPILER = "clang++-14"
_INPUT_SECONDS = 60  # an input that takes longer is a finding
_MEMORY_MB = 2048
_FINDINGS = ("crash-", "leak-", "timeout-", "oom-")


def run(options: argparse.Namespace) -> int:
    """Fuzz; 0 if nothing was found."""
    tree = source_tree()
    names = [options.target] if options.target else targets()
    build = _build(tree, names)
    found: list[tuple[str, Path]] = []
    for name in names:
        found += [(name, file) for file in _fuzz(tree, build, name, options.seconds)]
        if options.keep:
            _keep(tree, build, name)
    for name, file in found:
        print(f"found {file.relative_to(tree)}; replay it with: {build / f'fuzz_{name}'} {file}")
    if not found:
        print(f"nothing found with {', '.join(names)}")
    return 1 if found else 0


def _build(tree: Path, names: list[str]) -> Path:
    if shutil.which(_COMPILER) is None:
        raise RunFault(f"'{_COMPILER}' is not installed: run './dev setup'")
    build = tree / ".dev" / "build" / "fuzz"
    log = tree / ".dev" / "log" / "build-fuzz.txt"
    log.parent.mkdir(parents=True, exist_ok=True)
    commands = [
        [
            "cmake", "-S", str(tree / "src" / "pqc_tunnel"), "-B", str(build), "-G", "Ninja",
            "-DPQC_TUNNEL_ROS=OFF", "-DPQC_TUNNEL_FUZZ=ON", "-DPQC_TUNNEL_SANITIZE=address",
            f"-DCMAKE_PREFIX_PATH={tree / '.dev' / 'install'}",
            f"-DCMAKE_CXX_COMPILER={_COMPILER}",
            "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG",
        ],
        ["cmake", "--build", str(build), "--target", *(f"fuzz_{name}" for name in names)],
    ]  # fmt: skip
    print("building the fuzz targets", flush=True)
    with log.open("w") as output:
        for command in commands:
            if subprocess.run(command, stdout=output, stderr=subprocess.STDOUT).returncode != 0:
                raise RunFault(f"the fuzz targets can't be built; see {log.relative_to(tree)}")
    return build


def _fuzz(tree: Path, build: Path, name: str, seconds: int) -> list[Path]:
    """Run one target and return the inputs that caused a failure in this run."""
    folder = tree / ".dev" / "fuzz" / name
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    before = _findings(folder)
    print(f"{name}: {seconds} s", flush=True)
    done = _target(
        build, name,
        f"-max_total_time={seconds}", "-print_final_stats=1", f"-artifact_prefix={folder}/",
        str(corpus), str(tree / "src" / "pqc_tunnel" / "fuzz" / "corpus" / name),
    )  # fmt: skip
    (folder / "output.txt").write_text(done.stderr)
    after = sorted(_findings(folder) - before)
    for line in done.stderr.splitlines():
        if line.startswith(("this does not hold", "SUMMARY", "stat::number_of_executed")):
            print(f"  {line}", flush=True)
    if done.returncode != 0 and not after:
        print(done.stderr[-2000:], file=sys.stderr)
        raise RunFault(f"the target '{name}' ended with {done.returncode} and left no input")
    return after


def _keep(tree: Path, build: Path, name: str) -> None:
    """Merge input of earlier runs that reaches new code into the checked-in corpus."""
    kept = tree / "src" / "pqc_tunnel" / "fuzz" / "corpus" / name
    kept.mkdir(parents=True, exist_ok=True)
    done = _target(
        build,
        name,
        "-merge=1",
        "-set_cover_merge=1",
        "-use_counters=0",
        str(kept),
        str(tree / ".dev" / "fuzz" / name / "corpus"),
    )
    if done.returncode != 0:
        raise RunFault(f"the corpus of '{name}' can't be merged")
    files = list(kept.iterdir())
    size = sum(file.stat().st_size for file in files)
    print(f"  {len(files)} inputs, {size} bytes in {kept.relative_to(tree)}")


def _target(build: Path, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    limits = (f"-timeout={_INPUT_SECONDS}", f"-rss_limit_mb={_MEMORY_MB}")
    return subprocess.run(
        [str(build / f"fuzz_{name}"), *limits, *arguments],
        stderr=subprocess.PIPE, text=True, errors="replace", env=os.environ,
    )  # fmt: skip


def _findings(folder: Path) -> set[Path]:
    return {file for file in folder.iterdir() if file.name.startswith(_FINDINGS)}
