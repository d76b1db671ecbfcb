# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Bags that would hang a replay, or fill the memory: each ends, with what is whole."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest
from pqc_policy.replay import bag_files
from pqc_policy.replay.bag_files import BagFiles
from pqc_policy.replay.recording import RecordingFault, read_recording
from recorded import made, write_bag

MAGIC = b"\x89MCAP0\r\n"


def test_two_messages_centuries_apart_are_few_decisions(tmp_path: Path) -> None:
    entries = [(at_s, "vehicle", made("vehicle", 1.0)) for at_s in (1.0, 9e9)]
    assert len(list(read_recording(write_bag(tmp_path / "bag", entries)))) <= 2


@pytest.mark.parametrize("name", ["a.mcap", "a.mcap.zstd"])
def test_a_pipe_in_a_bag_is_refused_at_once(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    with pytest.raises(RecordingFault, match="it has no message that is whole"):
        list(read_recording(tmp_path))


def test_a_record_of_an_exabyte_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.mcap").write_bytes(MAGIC + struct.pack("<BQ", 5, 1 << 60))
    assert list(BagFiles(tmp_path).messages()) == []


def test_what_unpacks_to_more_than_it_may_is_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bag_files, "_MOST_UNPACKED", 1000)
    packed = bag_files.zstd.compress(MAGIC + bytes(1 << 20))
    (tmp_path / "a.mcap.zstd").write_bytes(packed)
    bag = BagFiles(tmp_path)
    assert list(bag.messages()) == []
    assert "ends before its end" in bag.damage[0]
