# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Bad arguments and interrupts of every command."""

from __future__ import annotations

import argparse
import errno
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from exit_code import exit_code
from pqc_bench.bench_command import COMMANDS, main
from pqc_bench.peers import PEER_NAMES
from pqc_bench.peers.registry import PEERS
from pqc_bench.simulate import run as simulate
from pqc_bench.speed import run as speed
from pqc_sim.processes.command_line import separated, whole
from report_run import make_run

import pqc_bench


def test_whole_numbers_are_read_within_their_bounds() -> None:
    assert whole(1)("70000") == 70000
    assert whole(0, 99)("0") == 0
    assert separated(whole(1, 9))("1,9") == [1, 9]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("0", "'0' isn't a size from 1 to 9 bytes"),
        ("10", "'10' isn't a size from 1 to 9 bytes"),
        ("-1", "'-1' isn't a size from 1 to 9 bytes"),
        ("²", "'²' isn't a size from 1 to 9 bytes"),
        ("", "'' isn't a size from 1 to 9 bytes"),
    ],
)
def test_other_numbers_are_one_clear_sentence(text: str, sentence: str) -> None:
    read = whole(1, 9, "a size", " bytes")
    with pytest.raises(argparse.ArgumentTypeError) as refused:
        read(text)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["rekey", "--seed", "-1"], "'-1' isn't a seed from 0 to 2^64-1"),
        (["rekey", "--size", "39"], "'39' isn't a size from 40 to 1400 bytes"),
        (["peers", "--rates", "320,0"], "'0' isn't a rate from 1 to 200000 per second"),
        (["flood", "--seconds", "0"], "'0' isn't a whole number of at least 1"),
    ],
)
def test_a_bad_argument_is_one_clear_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert capsys.readouterr().err.endswith(f"{sentence}\n")


@pytest.mark.parametrize("command", ["rekey", "speed"])
def test_a_missing_folder_is_reported_before_anything_is_measured(
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(speed, "tool_program", lambda *_: pytest.fail("it began"))
    assert exit_code([command, "--out", str(tmp_path / "nowhere" / "file.json")]) == 2
    assert capsys.readouterr().err == (
        f"bench: there is no folder '{tmp_path / 'nowhere'}' to write to\n"
    )


SUITE = "cs-mlkem768-aesgcm-mldsa65"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("rekey --seed 3", "--seed has no effect without --loss"),
        ("rekey --suites cs-mlkem768-aesgcm-mldsa6", f"did you mean '{SUITE}'?"),
        ("matrix --suites papr", "there is no suite 'papr'; did you mean 'paper'?"),
        ("matrix --retry", "--retry has no effect without --resume"),
        ("matrix --resume", "--resume needs --out, the folder of the run"),
        ("matrix --resume --out nowhere", "there is no run in '"),
        ("matrix --out file", "'file' is a file; --out names a folder"),
        ("matrix --sys-root nowhere", "there is no folder 'nowhere' for --sys-root"),
        ("matrix --link-seed 4", "--link-seed has no effect on a clean link"),
        ("matrix --testbed a.yaml --link lte", "--link has no effect with --testbed"),
        ("matrix --testbed a.yaml --policy advise", "--policy needs ROS"),
        ("matrix --testbed a.yaml --vehicle /dev/ttyNone7", "there is no file 'a.yaml'"),
        ("matrix --testbed a.yaml --vehicle autopilot", "needs {port}"),
        ("matrix --only-preflight", "--only-preflight has no effect without --testbed"),
        ("matrix --shard 9/8", "'9/8' isn't a part of the form 3/8"),
        ("merge nowhere --out whole", "there is no folder 'nowhere'"),
        ("matrix --seconds 0.1", "traffic of less than 0.5 s holds no rekey"),
        ("matrix --detector light=true", "has no effect without --scenario light"),
        ("matrix --scenario light --detector light=/nope", "there is no program '/nope'"),
        ("matrix --detector baseline=true", "there is no scenario with a load 'baseline'"),
        ("speed --only mlkem7", "there is no algorithm 'mlkem7'; did you mean 'mlkem768'?"),
        ("speed --only mlkem* --profile p", "but --only leaves out hqc128"),
        ("speed --name mine", "--name has no effect without --profile"),
        ("speed --sys-root .", "--sys-root has no effect without --profile"),
        ("speed --profile p --sys-root nowhere", "there is no folder 'nowhere' for --sys-root"),
        ("saturation --tunnel plain --suite " + SUITE, "--suite has no effect with --tunnel plain"),
        ("saturation --suite cs-x", "there is no suite 'cs-x'"),
        ("saturation --start 9 --ceiling 5", "--start 9 is above --ceiling 5"),
        ("peers --kinds relay,relai", "there is no peer 'relai'; did you mean 'relay'?"),
        ("peers --kinds relay --suite " + SUITE, "--suite has no effect with --kinds relay"),
        ("peers --no-saturation --searches 3", "--searches has no effect with --no-saturation"),
        ("peers --against old", "there is no peer 'old'"),
        ("peers --build relay=. ", "the name 'relay' of --build is taken already"),
        ("simulate --suites cs-x", "there is no suite 'cs-x'"),
        ("flood --out .", "'.' is a folder; name a file in it"),
    ],
)
def test_what_can_have_no_effect_is_rejected_before_anything_starts(
    words: str,
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    assert exit_code(words.split()) == 2
    assert sentence in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def bare(*words: str, **more: Any) -> subprocess.CompletedProcess[str]:
    """Run the command by the system's Python, without the packages of the environment."""
    sources = Path(__file__).parents[2]
    packages = ("pqc_bench", "pqc_sim", "pqc_policy", "pqc_reference", "pqc_testing")
    path = ":".join(str(sources / name) for name in packages)
    command = ["/usr/bin/python3", "-S", "-m", "pqc_bench.bench_command", *words]
    return subprocess.run(
        command,
        env={"PYTHONPATH": path, "LANG": "C", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        **more,
    )


@pytest.mark.parametrize("words", [[], ["--help"], *([name, "--help"] for name in COMMANDS)])
def test_help_needs_no_installed_package(words: list[str]) -> None:
    done = bare(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: bench")


@pytest.mark.parametrize("modules", COMMANDS.values())
def test_every_command_is_described_and_runs(modules: tuple[str, str]) -> None:
    described, running = map(import_module, modules)
    assert callable(described.configure) and callable(running.run)


def test_every_folder_with_a_command_is_in_the_table() -> None:
    found = {file.parent.name for file in Path(pqc_bench.__file__).parent.glob("*/command.py")}
    assert found == set(COMMANDS)


def test_peers_are_known_by_the_names_on_the_command_line() -> None:
    assert tuple(PEERS) == PEER_NAMES


def test_a_closed_output_ends_a_command_without_a_traceback(tmp_path: Path) -> None:
    command = f"{sys.executable} -m pqc_bench.bench_command report {tmp_path / 'run'} | true"
    make_run(tmp_path / "run", SUITE, ("baseline",), speed=False)
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_a_full_disk_is_one_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device", "out/state.json")

    monkeypatch.setattr("pqc_bench.simulate.run.run", full)
    assert main(["simulate"]) == 1
    assert capsys.readouterr().err == "bench: 'out/state.json': No space left on device\n"


def test_an_interrupted_command_ends_with_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(simulate, "source_tree", interrupted)
    assert main(["simulate"]) == 130
    assert capsys.readouterr().err == "bench: stopped before it was done\n"
