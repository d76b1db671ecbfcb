# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Bad arguments and interrupts of every command."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from pqc_bench.bench_command import main
from pqc_bench.commands import simulate, speed
from pqc_sim.processes.command_line import separated, whole


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
        (["report", "--fleet", "Ferry,9"], "'Ferry,9' is not a name and six numbers with commas"),
    ],
)
def test_a_bad_argument_is_one_clear_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert capsys.readouterr().err.endswith(f"{sentence}\n")


@pytest.mark.parametrize("command", ["rekey", "simulate", "speed"])
def test_a_missing_folder_is_reported_before_anything_is_measured(
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module, name in ((simulate, "source_tree"), (speed, "tool_program")):
        monkeypatch.setattr(module, name, lambda *_: pytest.fail("it began"))
    assert main([command, "--out", str(tmp_path / "nowhere" / "file.json")]) == 1
    assert capsys.readouterr().err == (
        f"bench: there is no folder '{tmp_path / 'nowhere'}' to write to\n"
    )


def test_an_interrupted_command_ends_with_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(simulate, "source_tree", interrupted)
    assert main(["simulate"]) == 130
    assert capsys.readouterr().err == "bench: stopped before it was done\n"
