# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest
from pqc_sim.processes.summary_file import read_summary, write_summary


def test_a_summary_that_cannot_be_written_leaves_the_former_one_and_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "summary.json"
    write_summary(file, {"sent": 1})
    write = Path.write_text

    def full(path: Path, text: str, **options: str) -> int:
        write(path, text[:4], **options)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space"):
        write_summary(file, {"sent": 2})
    assert read_summary(file) == {"sent": 1}
    assert list(tmp_path.iterdir()) == [file]
