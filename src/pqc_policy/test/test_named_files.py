# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Files that a parameter or an argument names: whatever has the name, there is one sentence."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from pqc_policy.named_files import (
    MOST_BYTES,
    MOST_DEPTH,
    FileFault,
    NoFile,
    from_json,
    from_yaml,
    read_bytes,
    read_document,
)

_MEMORY, _SECONDS = 1 << 30, 20.0
_READERS = {
    "profile": "from pqc_policy.policy.profile import load_profile as read",
    "parameters": "from pqc_policy.replay.parameter_file import read_values as read",
    "recording": "from pqc_policy.replay.recording import Recording as read",
}


def sentences(reader: str, files: Sequence[Path]) -> list[str]:
    """Return what a reader says of each file, in a process with little memory and time."""
    code = (
        f"import sys, pathlib\n{_READERS[reader]}\nfor file in sys.argv[1:]:\n"
        "    try:\n        read(pathlib.Path(file))\n        print('read')\n"
        "    except ValueError as fault:\n        print(fault, flush=True)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, files)],
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY)),
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def zeros(_: Path) -> Path:
    return Path("/dev/zero")


def sparse(folder: Path) -> Path:
    with (folder / "sparse.json").open("wb") as file:
        file.truncate(1 << 40)
    return folder / "sparse.json"


def deep(folder: Path) -> Path:
    file = folder / "deep.json"
    file.write_text("[" * 100_000)
    return file


def deep_yaml(folder: Path) -> Path:
    file = folder / "deep.yaml"
    file.write_text("[" * 20_000)
    return file


def multiplied(folder: Path) -> Path:
    """Write YAML of some hundred bytes that stands for 2^40 values."""
    file = folder / "multiplied.yaml"
    levels = (f"l{n}: &l{n} {{a: *l{n - 1}, b: *l{n - 1}}}\n" for n in range(1, 40))
    file.write_text("l0: &l0 {a: 1, b: 1}\n" + "".join(levels))
    return file


def long_number(folder: Path) -> Path:
    file = folder / "number.json"
    file.write_text('{"format": 1, "name": "x", "fixed_ms": 1' + "0" * 4000 + "}")
    return file


MAKERS = (pipe, zeros, sparse, deep, deep_yaml, multiplied, long_number)


@pytest.mark.parametrize("reader", _READERS)
def test_a_file_of_any_kind_is_one_sentence(reader: str, tmp_path: Path) -> None:
    found = sentences(reader, [make(tmp_path) for make in MAKERS])
    assert len(found) == len(MAKERS)
    assert all(one.endswith(".") for one in found)


def test_a_link_to_a_file_is_followed_and_a_name_of_nothing_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text("[1]")
    (tmp_path / "link.json").symlink_to("one.json")
    assert read_document(tmp_path / "link.json", trusted=True) == [1]
    with pytest.raises(NoFile):
        read_bytes(tmp_path / "none")
    with pytest.raises(FileFault, match="can't be read: embedded null byte"):
        read_bytes(tmp_path / "a\0b")


def test_the_largest_file_and_the_deepest_document_are_read(tmp_path: Path) -> None:
    file = tmp_path / "large"
    file.write_bytes(bytes(MOST_BYTES))
    assert len(read_bytes(file)) == MOST_BYTES
    file.write_bytes(bytes(MOST_BYTES + 1))
    with pytest.raises(FileFault, match=f"has more than {MOST_BYTES} bytes"):
        read_bytes(file)
    for read in (from_json, from_yaml):
        read("[" * (MOST_DEPTH - 1) + "1" + "]" * (MOST_DEPTH - 1))
        with pytest.raises(FileFault, match="is nested more than"):
            read("[" * MOST_DEPTH + "1" + "]" * MOST_DEPTH)


@pytest.mark.parametrize("text", ["!!timestamp x", "2026-13-99", "!!bool x", "? {a: 1}\n: 2", ""])
def test_yaml_of_any_form_is_a_value_or_a_fault(text: str) -> None:
    try:
        from_yaml(text)
    except FileFault as fault:
        assert str(fault) == "is not YAML"


@pytest.mark.parametrize(("mode", "read"), [(0o644, True), (0o646, False), (0o666, False)])
def test_what_decides_is_read_only_if_nobody_else_may_write_it(
    tmp_path: Path, mode: int, read: bool
) -> None:
    file = tmp_path / "file.json"
    file.write_text("{}")
    file.chmod(mode)
    assert read_document(file) == {}
    if read:
        assert read_document(file, trusted=True) == {}
        return
    with pytest.raises(FileFault, match=f"has mode {mode:04o}, .*: chmod go-w .* mends that"):
        read_document(file, trusted=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_group_may_write_if_it_is_the_owners_own_and_no_other_user_may_own(
    tmp_path: Path,
) -> None:
    file = tmp_path / "file.json"
    file.write_text("{}")
    file.chmod(0o664)
    assert read_document(file, trusted=True) == {}
    os.chown(file, 0, 12345)
    with pytest.raises(FileFault, match="has mode 0664"):
        read_document(file, trusted=True)
    file.chmod(0o600)
    os.chown(file, 12345, 0)
    with pytest.raises(FileFault, match="belongs to user 12345, but must belong to root"):
        read_document(file, trusted=True)
