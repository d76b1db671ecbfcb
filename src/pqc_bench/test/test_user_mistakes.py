# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Each mistake of a user gets one sentence and the right exit code, and leaves nothing behind."""

from __future__ import annotations

import os
import shlex
import subprocess
import uuid
from pathlib import Path

import pytest
from pqc_bench.harness.source_tree import source_tree
from user_mistakes import MISTAKES, Mistake, make_files

MINIMUM = 60
LIMIT_S = 120.0
MARK = "PQC_USER_MISTAKE"


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
