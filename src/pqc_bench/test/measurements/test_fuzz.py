# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from pqc_bench.fuzz.command import check
from pqc_bench.fuzz.run import run
from pqc_sim.processes.run_fault import RunFault


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source tree with one target, and programs in place of compiler, CMake and CTest."""
    (tmp_path / "src" / "pqc_tunnel" / "fuzz").mkdir(parents=True)
    (tmp_path / "src" / "pqc_tunnel" / "fuzz" / "frames.cpp").touch()
    monkeypatch.setenv("PQC_MAV_SOURCE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("clang++-14", "cmake", "ctest"):
        put(tmp_path / name, 0)
    return tmp_path


def put(program: Path, code: int) -> None:
    program.write_text(f'#!/bin/sh\necho "$*" >>{program}.log\nexit {code}\n', encoding="utf-8")
    program.chmod(0o755)


def options(target: str | None = None) -> argparse.Namespace:
    return argparse.Namespace(seconds=7, target=target)


def test_a_quiet_run_of_every_target_ends_with_0(tree: Path) -> None:
    assert run(options()) == 0
    assert "-DPQC_TUNNEL_FUZZ_SECONDS=7" in (tree / "cmake.log").read_text()
    assert (tree / "ctest.log").read_text().endswith("-L fuzz\n")


@pytest.mark.parametrize("program", ["cmake", "ctest"])
def test_a_finding_or_a_build_that_fails_ends_with_1(tree: Path, program: str) -> None:
    put(tree / program, 8)
    assert run(options("frames")) == 1


def test_one_target_is_built_and_run_alone(tree: Path) -> None:
    assert run(options("frames")) == 0
    assert "--target fuzz_frames\n" in (tree / "cmake.log").read_text()
    assert (tree / "ctest.log").read_text().endswith("-R ^fuzz_frames$\n")


@pytest.mark.usefixtures("tree")
def test_an_unknown_target_is_reported_in_one_sentence() -> None:
    with pytest.raises(RunFault, match="there is no target 'x': frames"):
        check(options("x"))
