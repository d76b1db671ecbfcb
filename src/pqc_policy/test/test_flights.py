# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The recorded flights: what is checked in is what comes out, and each shows what it is for."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any

import pytest
from pqc_policy.flights.main import main
from pqc_policy.flights.recording import (
    DECISIONS,
    PARAMETERS,
    read_log,
    read_parameters,
    write_bag,
)
from pqc_policy.flights.scripts import SCRIPTS
from pqc_policy.flights.simulation import Flown, Simulation
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.inputs import Verdict
from pqc_policy.policy.log import Line, fold
from pqc_policy.policy.suites import Suite, find_suite
from pqc_policy.replay.recording import replay
from rosbags.rosbag2 import Reader

FLIGHTS = Path(__file__).parent.parent / "flights"
MLKEM512 = "cs-mlkem512-aesgcm-mldsa44"
MLKEM768 = "cs-mlkem768-aesgcm-mldsa65"
LIGHTEST = "cs-mlkem512-aesgcm-falcon512"

every_flight = pytest.mark.parametrize("name", SCRIPTS)


@cache
def flown(name: str) -> Flown:
    """Return a flight flown anew."""
    return Simulation(SCRIPTS[name]).fly()


@cache
def decisions(name: str) -> list[Decision]:
    """Return what the recorded flight is decided to with its own parameters."""
    return replay(Policy(read_parameters(FLIGHTS / name)), FLIGHTS / name)


def log(name: str) -> list[Line]:
    return fold(decisions(name))


def moves(name: str) -> list[Line]:
    """Return what changed the suite."""
    return [line for line in log(name) if line["to"] not in (None, line["from"])]


def suite(suite_id: str) -> Suite:
    found = find_suite(suite_id)
    assert found is not None
    return found


@every_flight
def test_a_recorded_flight_gives_its_decision_log(name: str) -> None:
    assert log(name) == read_log(FLIGHTS / name)


@every_flight
def test_what_the_drone_decided_in_the_air_is_what_its_recording_gives(name: str) -> None:
    assert decisions(name) == flown(name).decisions


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
def test_a_recorded_flight_is_a_small_bag_with_its_definitions(name: str) -> None:
    folder = FLIGHTS / name
    assert sum(file.stat().st_size for file in folder.iterdir()) < 600_000
    with Reader(folder) as bag:
        assert {connection.topic for connection in bag.connections} == {
            *(f"/pqc/{topic}" for topic in ("status", "link", "events", "suites", "advisor")),
            *(f"/pqc/{topic}" for topic in ("battery", "vehicle", "thermal", "power")),
            "/mavros/battery",
            "/mavros/state",
        }
        assert all(connection.msgdef.data.strip() for connection in bag.connections)
        assert bag.duration == pytest.approx(SCRIPTS[name].seconds * 1e9, abs=1e9)


@every_flight
def test_the_parameters_beside_a_flight_are_those_it_was_flown_with(name: str) -> None:
    assert read_parameters(FLIGHTS / name) == SCRIPTS[name].config
    assert (FLIGHTS / name / PARAMETERS).exists() is bool(SCRIPTS[name].parameters)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("jammed", {"link_gap_s": 4.0}),
        ("jammed", {"persistence_s": 6.0}),
        ("hot", {"stress_c_per_min": 6.3}),
        ("hot", {"emergency_temperature_c": 82.0}),
        ("sagging", {"emergency_voltage_v": 13.9}),
        ("sagging", {"stress_mv_per_min": -650.0}),
        ("flapping", {"blackout_count": 5}),
        ("flapping", {"upgrade_stable_s": 31.0}),
        ("sensor_loss", {"stale_s": 4.0}),
        ("calm", {"rekey_limit": 6}),
        ("long", {"cooldown_s": 6.0}),
    ],
)
def test_a_changed_default_shows_as_a_changed_log(name: str, changes: dict[str, Any]) -> None:
    policy = Policy(replace(read_parameters(FLIGHTS / name), **changes))
    assert fold(replay(policy, FLIGHTS / name)) != read_log(FLIGHTS / name)


def test_calm_one_step_up_on_the_ground_then_fresh_keys_every_minute() -> None:
    (up,) = moves("calm")
    assert (up["action"], up["t"], up["to"]) == ("UPGRADE", 30.0, MLKEM768)
    assert decisions("calm")[30].inputs.armed.value is False
    rekeys = [line["t"] for line in log("calm") if line["action"] == "REKEY"]
    assert [b - a for a, b in pairwise(rekeys[:3])] == [61.0, 61.0]
    assert {line["guard"] for line in log("calm")} == {"nominal", "upgrade", "cooldown", "rekey"}


def test_hot_every_family_of_level_3_before_80_degrees_then_the_lightest_at_once() -> None:
    *down, emergency = moves("hot")
    assert [(line["action"], line["guard"]) for line in down] == [("DOWN", "stress")] * 3
    assert [suite(line["to"]).family for line in down] == ["hqc", "frodokem", "ml_kem"]
    assert {suite(line["to"]).level for line in down} == {3}
    assert (emergency["action"], emergency["to"]) == ("DOWN_TO_LIGHTEST", LIGHTEST)
    first = next(d.t for d in decisions("hot") if d.inputs.thermal.value.temperature_c > 80.0)
    in_use = next(d.t for d in decisions("hot") if d.inputs.session.value.suite == LIGHTEST)
    assert in_use - first <= 2.0


def test_sagging_steps_down_by_the_rate_and_below_14_v_to_the_lightest() -> None:
    *down, emergency = moves("sagging")
    assert {(line["action"], line["guard"]) for line in down} == {("DOWN", "stress")}
    assert {suite(line["to"]).level for line in down} == {5}
    assert (emergency["guard"], emergency["to"]) == ("emergency", LIGHTEST)
    low = next(d.t for d in decisions("sagging") if d.inputs.battery.value.voltage_v < 14.0)
    in_use = next(d.t for d in decisions("sagging") if d.inputs.session.value.suite == LIGHTEST)
    assert in_use - low <= 2.0


def test_jammed_steps_down_to_the_floor_and_no_further_while_the_advisor_sees_an_attack() -> None:
    assert {(line["action"], line["guard"]) for line in moves("jammed")} == {("DOWN", "link")}
    assert min(suite(line["to"]).level for line in moves("jammed")) == 3
    at_the_floor = [line for line in log("jammed") if "no lighter suite is left" in line["reason"]]
    assert len(at_the_floor) >= 2
    for decision in decisions("jammed"):
        if decision.guard == "link":
            assert decision.inputs.advisor.value is Verdict.ATTACK


def test_flapping_undoes_the_step_up_and_then_hardly_moves() -> None:
    up, back, *later = moves("flapping")
    assert (up["action"], up["to"]) == ("UPGRADE", MLKEM768)
    assert (back["action"], back["guard"], back["to"]) == ("ROLLBACK", "blackout", MLKEM512)
    assert back["t"] - up["t"] <= 11.0
    assert [line["action"] for line in later] == ["DOWN"]
    assert not [line for line in later if line["t"] < 280.0]


def test_sensor_loss_holds_and_names_what_is_missing_and_goes_on_when_it_is_back() -> None:
    held = [line for line in log("sensor_loss") if line["guard"] == "safety"]
    assert [line["reason"].split()[2] for line in held] == ["thermal", "battery", "armed", "link"]
    assert {line["action"] for line in held} == {"HOLD"}
    after = [line["guard"] for line in log("sensor_loss") if line["t"] > held[-1]["t"]]
    assert after[:2] == ["nominal", "rekey"]


def test_crash_holds_while_there_is_no_session_and_goes_on_with_the_new_one() -> None:
    sessions = [d.inputs.session for d in decisions("crash")]
    gone = [d for d in decisions("crash") if d.inputs.session.age_s > 2.0]
    assert {(d.action, d.guard) for d in gone} == {("HOLD", "safety")}
    assert len(gone) >= 16
    assert sessions[-1].value.suite == MLKEM768
    assert log("crash")[-2]["action"] == "REKEY"


def test_long_renews_its_keys_all_the_way_and_always_has_a_rekey_left_for_a_switch() -> None:
    all_of_them = decisions("long")
    rekeys = [d.t for d in all_of_them if d.action == "REKEY"]
    assert len(rekeys) >= 20
    assert max(b - a for a, b in pairwise(rekeys)) < 200.0
    for first, fifth in zip(rekeys, rekeys[4:], strict=False):
        assert fifth - first >= 300.0
    assert [line["action"] for line in moves("long")] == ["UPGRADE", "DOWN", "UPGRADE"]
    held = [d for d in all_of_them if "are the limit" in d.reason]
    assert {d.guard for d in held} == {"rekey"}


@every_flight
def test_no_flight_goes_up_in_the_air_or_below_its_floor(name: str) -> None:
    allowed = read_parameters(FLIGHTS / name).allowed
    for decision in decisions(name):
        if decision.action == "UPGRADE":
            assert decision.inputs.armed.value is False
        if decision.to_suite is not None:
            assert allowed.allows(suite(decision.to_suite))


def test_the_command_makes_flights_and_keeps_recordings_when_only_logs_are_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["crash", "--out", str(tmp_path), "--seed", "7"]) == 0
    assert read_log(tmp_path / "crash") != []
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
def test_a_mistake_is_told_in_one_sentence(
    arguments: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    assert capsys.readouterr().err.startswith(sentence)


def test_half_of_the_flights_are_flown_with_the_defaults() -> None:
    assert sum(script.config == PolicyConfig() for script in SCRIPTS.values()) >= 4
