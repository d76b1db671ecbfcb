# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Each mistake of a user gets one sentence and the right exit code, and leaves nothing behind."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import uuid
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from pqc_bench.harness.source_tree import source_tree
from user_mistakes import MISTAKES, Mistake, make_files

MINIMUM = 60
LIMIT_S = 120.0
MARK = "PQC_USER_MISTAKE"
# The commands that ./dev describes by the system's Python alone.
MODULES = (
    "pqc_bench.bench_command",
    "pqc_sim.demo.demo_command",
    "pqc_learning.training.train_command",
)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Valid keys, parameter files and recordings, and broken ones."""
    folder = tmp_path_factory.mktemp("files")
    make_files(folder, source_tree())
    return folder


def test_the_table_is_long_and_has_no_row_twice() -> None:
    commands = [mistake.command for mistake in MISTAKES]
    assert len(set(commands)) == len(commands) >= MINIMUM


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.command)
def test_a_mistake_gets_one_sentence(mistake: Mistake, files: Path, tmp_path: Path) -> None:
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    for folder in (home, temporary):
        folder.mkdir()
    mark = uuid.uuid4().hex
    environment = {
        **os.environ, MARK: mark, "TMPDIR": str(temporary), "TERM": "dumb",
        "ROS_LOG_DIR": str(tmp_path / "log"), "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    words = shlex.split(mistake.command.format(files=files, dev=source_tree() / "dev"))
    done = subprocess.run(
        words, cwd=home, env=environment, stdin=subprocess.DEVNULL, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT_S,
    )  # fmt: skip
    sentence = mistake.sentence.format(files=files)
    assert sentence in " ".join(done.stdout.split())
    assert done.returncode == mistake.code, done.stdout
    assert "Traceback" not in done.stdout
    assert "\x1b" not in done.stdout
    assert sorted(home.iterdir()) == []
    assert sorted(temporary.iterdir()) == []
    assert processes_with(mark) == []


# Prints the exit code and the errors of each list of words that a command is given.
EACH = """
import contextlib, importlib, io, json, sys
answers = []
for words in json.loads(sys.argv[2]):
    with contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            importlib.import_module(sys.argv[1]).make_parser().parse_args(words)
            code = 0
        except SystemExit as end:
            code = end.code
    answers.append([code, said.getvalue()])
print(json.dumps(answers))
"""
WRONG = "/proc/wrong"
# Names that only the built workspace knows; a row of the table tries each.
KNOWN_LATER = {"matrix --link", "detectors --detectors", "--link", "--links"}


def options_with_a_value(parser: argparse.ArgumentParser, before: str = "") -> Iterator[str]:
    """Yield each option of a command and of those below it, with the words before it."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from options_with_a_value(below, f"{name} ")
        elif action.nargs != 0 and action.dest != "root":
            yield before + (action.option_strings[0] if action.option_strings else "")


@pytest.mark.parametrize("module", MODULES)
def test_a_wrong_value_of_each_option_is_one_sentence_before_anything_is_set_up(
    module: str,
) -> None:
    options = sorted(set(options_with_a_value(import_module(module).make_parser())) - KNOWN_LATER)
    words = [[*option.split(), WRONG] for option in options]
    sources = source_tree() / "src"
    done = subprocess.run(
        ["/usr/bin/python3", "-S", "-c", EACH, module, json.dumps(words)],
        env={
            "PYTHONPATH": ":".join(str(package) for package in sources.iterdir()),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PQC_MAV_SOURCE": str(source_tree()),
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for option, (code, said) in zip(options, json.loads(done.stdout), strict=True):
        assert (code, said.count("\n")) == (2, 1), f"{option}: {said}"


def processes_with(mark: str) -> list[str]:
    """Return the command lines of processes whose environment contains the mark."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if f"{MARK}={mark}".encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except (OSError, NotADirectoryError):
            continue
    return found
