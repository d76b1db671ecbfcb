# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Folders that don't outlive their process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from pqc_sim.processes.run_fault import RunFault
from pqc_sim.processes.scratch_folder import ScratchFolder, require_temporary_folder
from test_process_group import wait_until

FOREVER = """
import sys, time
from pqc_sim.processes.scratch_folder import ScratchFolder
with ScratchFolder("test-") as folder:
    (folder / "keys").mkdir()
    (folder / "keys" / "secret").write_text("x")
    print(folder, flush=True)
    time.sleep(600)
"""


def test_the_folder_is_private_and_is_gone_after_the_end() -> None:
    with ScratchFolder("test-") as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "some file").write_text("")
    assert not folder.exists()


def test_a_killed_process_leaves_no_folder(tmp_path: Path) -> None:
    place = tmp_path / "with späce"
    place.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", FOREVER],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(place)},
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert folder.parent == place
        process.kill()
        wait_until(lambda: not folder.exists())


def test_an_interrupt_at_any_moment_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    files = (ScratchFolder.__enter__.__code__.co_filename, subprocess.__file__)

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if event == "line" and frame.f_code.co_filename in files and next(lines) == 0:
            raise KeyboardInterrupt
        return trace

    for moment in range(300):
        lines = count(-moment)
        sys.settrace(trace)
        with suppress(KeyboardInterrupt), ScratchFolder("test-"):
            sys.settrace(None)
        assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("folder", ["/nowhere", "/dev/null", "/proc"])
def test_a_temporary_folder_that_cannot_be_used_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    monkeypatch.setenv("TMPDIR", folder)
    monkeypatch.setattr(tempfile, "tempdir", None)
    with pytest.raises(RunFault, match=f"^no temporary file can be written in '{folder}', "):
        require_temporary_folder()
