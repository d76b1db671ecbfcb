# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from pqc_bench.fuzz import run as fuzz
from pqc_bench.fuzz.command import check
from pqc_sim.processes.run_fault import RunFault

FINDS = """#!/bin/sh
for argument; do case $argument in -artifact_prefix=*) folder=${argument#*=} ;; esac; done
echo bad > "${folder}crash-1"
echo "this does not hold: two is three" >&2
exit 77
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source tree with one target, which needs no building."""
    (tmp_path / "src" / "pqc_tunnel" / "fuzz" / "corpus" / "frames").mkdir(parents=True)
    (tmp_path / "src" / "pqc_tunnel" / "fuzz" / "frames.cpp").touch()
    monkeypatch.setenv("PQC_MAV_SOURCE", str(tmp_path))
    monkeypatch.setattr(fuzz, "_build", lambda tree, names: tmp_path)
    return tmp_path


def put(tree: Path, script: str) -> None:
    program = tree / "fuzz_frames"
    program.write_text(script)
    program.chmod(0o755)


def options(**given: object) -> argparse.Namespace:
    return argparse.Namespace(**{"seconds": 1, "target": None, "keep": False, **given})


def test_a_finding_ends_with_1_and_the_command_that_replays_it(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(tree, FINDS)
    assert fuzz.run(options()) == 1
    printed = capsys.readouterr().out
    found = tree / ".dev" / "fuzz" / "frames" / "crash-1"
    assert "two is three" in printed
    assert f"{tree / 'fuzz_frames'} {found}" in printed


def test_a_quiet_run_ends_with_0(tree: Path) -> None:
    put(tree, "#!/bin/sh\n")
    assert fuzz.run(options()) == 0


def test_a_target_that_fails_without_an_input_is_reported_in_one_sentence(tree: Path) -> None:
    put(tree, "#!/bin/sh\nexit 1\n")
    with pytest.raises(RunFault, match="left no input"):
        fuzz.run(options())


@pytest.mark.usefixtures("tree")
def test_an_unknown_target_is_reported_in_one_sentence() -> None:
    with pytest.raises(RunFault, match="there is no target 'x': frames"):
        check(options(target="x"))
