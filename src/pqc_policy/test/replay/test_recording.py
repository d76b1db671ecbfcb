# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.telemetry import Telemetry
from pqc_policy.replay.recording import (
    Recording,
    RecordingFault,
    read_recording,
    replay,
    topic_name,
)
from recorded import SECOND, Entry, flight, made, stamp, write_bag


def test_a_recording_gives_the_inputs_of_every_whole_second(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", flight(5))
    inputs = list(read_recording(bag))
    assert [i.now_s for i in inputs] == [1001.0, 1002.0, 1003.0, 1004.0]
    assert all(i.session.value and i.link.value and i.armed.value for i in inputs)
    assert {i.session.age_s for i in inputs} == {0.9}


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
    ((at_s, message),) = Recording(write_bag(tmp_path / "bag", entries)).decisions()
    assert (at_s, message.rule) == (1001.0, "nominal")


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
    bag = write_bag(tmp_path / "bag", flight(60))
    (file,) = bag.glob("*.mcap")
    data = bytearray(file.read_bytes())
    data[100:] = bytes(b ^ 0x55 for b in data[100:])
    file.write_bytes(data)
    with pytest.raises(RecordingFault, match=str(bag)):
        list(read_recording(bag))


DAY = 86400.0
YEARS = 56 * 365.25 * DAY  # from 1970, where a board without a battery begins


def flight_in_which_the_clock_is_set(by_s: float) -> list[Entry]:
    """Return a calm minute; after half of it all clocks are set at once."""
    start_s = 2 * DAY
    entries: list[Entry] = []
    for received_s, topic, message in flight(60, start_s):
        sent_s = message.stamp.sec + message.stamp.nanosec / SECOND
        set_s = start_s + 30.3
        message.stamp = stamp(sent_s + (by_s if sent_s > set_s else 0.0))
        entries.append((received_s + (by_s if received_s > set_s else 0.0), topic, message))
    return entries


@pytest.mark.parametrize("by_s", [-DAY, -60.0, 60.0, DAY, YEARS])
def test_a_clock_that_is_set_changes_neither_the_number_of_decisions_nor_an_age(
    tmp_path: Path, by_s: float
) -> None:
    entries = flight_in_which_the_clock_is_set(by_s)
    inputs = list(read_recording(write_bag(tmp_path / "bag", entries)))
    # The recording does not tell how much of a second has passed while the clock was set.
    assert len(inputs) in (58, 59)
    assert [b.now_s - a.now_s for a, b in pairwise(inputs)] == [1.0] * (len(inputs) - 1)
    ages = [reading.age_s for i in inputs for reading in (i.session, i.link, i.battery)]
    assert max(ages) < 2.0
    assert {d.rule for d in Policy(PolicyConfig()).replay(inputs)} == {"nominal"}


def test_of_a_bag_that_is_cut_all_that_is_whole_is_read(tmp_path: Path) -> None:
    bag = write_bag(tmp_path / "bag", flight(300))
    whole = list(read_recording(bag))
    (file,) = [one for one in bag.iterdir() if one.suffix != ".yaml"]
    file.write_bytes(file.read_bytes()[: file.stat().st_size * 3 // 4])
    (bag / "metadata.yaml").unlink()
    recording = Recording(bag)
    inputs = list(recording.inputs())
    assert 0 < len(inputs) < len(whole)
    assert inputs == whole[: len(inputs)]
    cut, metadata = recording.damage
    assert cut.startswith(f"{file.name} ends before its end")
    assert f"`ros2 bag reindex {bag}`" in metadata


def test_a_bag_in_sqlite_is_refused_with_what_makes_one_in_mcap(tmp_path: Path) -> None:
    (tmp_path / "bag_0.db3").touch()
    with pytest.raises(RecordingFault, match="`ros2 bag convert` makes one in MCAP"):
        list(read_recording(tmp_path))
