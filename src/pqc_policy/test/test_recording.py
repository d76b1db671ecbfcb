# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of reading recorded flights, and of the message for one that can't be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.telemetry import Telemetry
from pqc_policy.replay.recording import (
    RecordingFault,
    read_decisions,
    read_recording,
    replay,
    topic_name,
)
from recorded import SECOND, Entry, flight, made, write_bag


def test_a_recording_gives_the_inputs_of_every_whole_second(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", flight(5))
    inputs = list(read_recording(bag))
    assert [i.now_s for i in inputs] == [1001.0, 1002.0, 1003.0, 1004.0]
    assert all(i.session.value and i.link.value and i.armed.value for i in inputs)
    assert {i.session.age_s for i in inputs} == {0.9}


@pytest.mark.parametrize("storage", ["mcap", "sqlite3"])
@pytest.mark.parametrize("definitions", [True, False])
def test_both_bag_formats_can_be_read_with_and_without_definitions(
    tmp_path: Path, storage: str, definitions: bool
) -> None:
    bag = write_bag(tmp_path / "bag", flight(3), storage=storage, definitions=definitions)
    assert list(read_recording(bag)) == list(
        read_recording(write_bag(tmp_path / "plain", flight(3)))
    )


def test_a_recording_gives_the_inputs_of_the_flight(tmp_path: Path) -> None:
    entries = flight(4)
    telemetry = Telemetry()
    live = []
    for _, topic, message in entries:
        telemetry.take(topic, message)
    for second in range(1001, 1004):
        live.append(telemetry.inputs(second * SECOND))
    assert list(read_recording(write_bag(tmp_path / "bag", entries))) == live


def test_messages_that_settle_within_the_limit_still_count(tmp_path: Path) -> None:
    late = (1001.24, "power", made("power", 1000.9, power_w=4.0))
    too_late = (1002.26, "power", made("power", 1001.9, power_w=5.0))
    entries = sorted([*flight(4), late, too_late], key=lambda entry: entry[0])
    power = [i.power_w for i in read_recording(write_bag(tmp_path / "bag", entries))]
    assert [(p.value, round(p.age_s, 6)) for p in power] == [(4.0, 0.1), (4.0, 1.1), (5.0, 1.1)]


def test_other_topics_and_namespaces_are_ignored(tmp_path: Path) -> None:
    clock = [(1000.0, "/gcs/pqc/status", made("status", 1000.0, suite="other"))]
    bag = write_bag(tmp_path / "bag", [*clock, *flight(3)], namespace="/drone1/pqc")
    assert {
        i.session.value.suite for i in read_recording(bag, "drone1/pqc") if i.session.value
    } == {"cs-mlkem768-aesgcm-mldsa65"}
    assert topic_name("/drone1/pqc/", "status") == "/drone1/pqc/status"
    assert topic_name("", "status") == "/status"


def test_the_same_recording_gives_the_same_decisions(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", flight(90))
    first, second = (replay(Policy(PolicyConfig()), bag) for _ in range(2))
    assert [d.to_json() for d in first] == [d.to_json() for d in second]
    assert first[0].rule == "nominal"


def test_recorded_decisions_can_be_read(tmp_path: Path) -> None:
    decision = made("decision", 1001.0, action="HOLD", rule="nominal")
    entries = [*flight(2), (1001.2, "decision", decision)]
    (message,) = read_decisions(write_bag(tmp_path / "bag", entries))
    assert message.rule == "nominal"


def test_a_missing_bag_is_reported(tmp_path: Path) -> None:
    with pytest.raises(RecordingFault, match=r"^There is no bag .*/nowhere\.$"):
        list(read_recording(tmp_path / "nowhere"))


def test_a_folder_that_is_not_a_bag_is_reported(tmp_path: Path) -> None:
    with pytest.raises(RecordingFault, match=r"is no bag that can be read: .*\.$"):
        list(read_recording(tmp_path))


def test_a_bag_without_the_topics_is_reported_with_those_it_has(tmp_path: Path) -> None:
    entries: list[Entry] = [(1000.0, "/other", made("status", 1000.0))]
    bag = write_bag(tmp_path / "bag", entries)
    with pytest.raises(RecordingFault, match="no topic like /pqc/status; its topics are: /other"):
        list(read_recording(bag))


def test_a_damaged_bag_is_reported(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", flight(60), storage="sqlite3")
    (file,) = bag.glob("*.db3")
    data = bytearray(file.read_bytes())
    data[4096:] = bytes(b ^ 0x55 for b in data[4096:])
    file.write_bytes(data)
    with pytest.raises(RecordingFault, match=str(bag)):
        list(read_recording(bag))


def test_a_truncated_bag_is_reported(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", flight(60))
    (file,) = bag.glob("*.mcap")
    file.write_bytes(file.read_bytes()[:5000])
    with pytest.raises(RecordingFault, match=str(bag)):
        list(read_recording(bag))
