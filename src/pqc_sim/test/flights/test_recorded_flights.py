# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The recorded flights are what the simulator flies, and the command that makes them."""

from __future__ import annotations

import json
from functools import cache
from itertools import zip_longest
from pathlib import Path

import pytest
from ament_index_python.packages import get_package_share_path
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.engine import Policy
from pqc_policy.replay.recording import replay
from pqc_sim.flights.flight_files import DECISIONS, PARAMETERS, policy_of, write_bag
from pqc_sim.flights.record_flights import main
from pqc_sim.flights.recorded_flights import SCRIPTS
from pqc_sim.flights.simulation import Flown, Simulation
from rosbags.rosbag2 import Reader

FLIGHTS = get_package_share_path("pqc_policy") / "flights"

every_flight = pytest.mark.parametrize("name", SCRIPTS)


@cache
def flown(name: str) -> Flown:
    return Simulation(SCRIPTS[name]).fly()


def test_every_script_has_its_recording_and_every_recording_its_script() -> None:
    assert {folder.name for folder in FLIGHTS.iterdir()} == set(SCRIPTS)


@every_flight
def test_the_replay_of_a_recording_gives_the_decisions_of_the_flight(name: str) -> None:
    replayed = replay(policy_of(FLIGHTS / name), FLIGHTS / name)
    # One by one: the difference of two whole flights takes hours to describe.
    for one, other in zip_longest(replayed, flown(name).decisions):
        assert one == other


@every_flight
def test_a_flight_flown_anew_is_the_recorded_one_message_by_message(
    name: str, tmp_path: Path
) -> None:
    write_bag(tmp_path / name, flown(name).entries)
    with Reader(FLIGHTS / name) as recorded, Reader(tmp_path / name) as anew:
        for one, other in zip_longest(recorded.messages(), anew.messages()):
            assert one is not None and other is not None
            assert (one[0].topic, one[1], bytes(one[2])) == (
                other[0].topic,
                other[1],
                bytes(other[2]),
            )


@every_flight
def test_a_recording_is_as_long_as_its_flight(name: str) -> None:
    with Reader(FLIGHTS / name) as bag:
        assert bag.duration == pytest.approx(SCRIPTS[name].seconds * 1e9, abs=1e9)


@every_flight
def test_the_parameters_beside_a_flight_are_those_it_was_flown_with(name: str) -> None:
    assert policy_of(FLIGHTS / name).config == Policy(SCRIPTS[name].config).config
    assert (FLIGHTS / name / PARAMETERS).exists() is bool(SCRIPTS[name].parameters)


def test_the_command_makes_flights_and_keeps_recordings_when_only_logs_are_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["crash", "--out", str(tmp_path), "--seed", "7"]) == 0
    assert json.loads((tmp_path / "crash" / DECISIONS).read_text(encoding="utf-8")) != []
    bag = (tmp_path / "crash" / "crash.mcap").read_bytes()
    assert bag != (FLIGHTS / "crash" / "crash.mcap").read_bytes()
    (tmp_path / "crash" / DECISIONS).unlink()
    assert main(["crash", "--out", str(tmp_path), "--update-logs"]) == 0
    assert (tmp_path / "crash" / DECISIONS).exists()
    assert (tmp_path / "crash" / "crash.mcap").read_bytes() == bag


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["cosy"], 2, "There is no flight 'cosy'; there are calm, hot, "),
        (["calm", "--update-logs", "--out", "nowhere"], 1, "There is no bag nowhere/calm."),
    ],
)
def test_a_wrong_argument_is_reported_in_one_sentence(
    arguments: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    assert capsys.readouterr().err.startswith(sentence)


def test_half_of_the_flights_are_flown_with_the_defaults() -> None:
    assert sum(script.config == PolicyConfig() for script in SCRIPTS.values()) >= 4
