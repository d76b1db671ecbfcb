# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Each recorded flight gives its decision log and shows the reaction that it tests."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from flight import LIGHTEST, MLKEM512, MLKEM768, suite
from pqc_policy.policy.decision import Decision
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.explain.decision_log import Line, fold
from pqc_policy.policy.inputs import INPUTS, Verdict
from pqc_policy.replay.recording import replay
from recorded_flights import FLIGHTS, NAMES, log_of, policy_of
from rosbags.rosbag2 import Reader

every_flight = pytest.mark.parametrize("name", NAMES)


@cache
def decisions(name: str) -> list[Decision]:
    """Return the decisions over a recorded flight with its own parameters."""
    return replay(policy_of(name), FLIGHTS / name)


def log(name: str) -> list[Line]:
    return fold(decisions(name))


def moves(name: str) -> list[Line]:
    """Return the decisions that changed the suite."""
    return [line for line in log(name) if line["to"] not in (None, line["from"])]


@every_flight
def test_a_recorded_flight_gives_its_decision_log(name: str) -> None:
    assert log(name) == log_of(name)


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


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("jammed", {"rekey_window_s": 60.0}),
        ("calm", {"link_gap_s": 0.01}),
        ("hot", {"persistence_s": 6.0}),
        ("hot", {"emergency_temperature_c": 82.0}),
        ("sagging", {"emergency_voltage_v": 13.9}),
        ("flapping", {"blackout_count": 5}),
        ("flapping", {"upgrade_stable_s": 31.0}),
        ("sensor_loss", {"stale_s": 4.0}),
        ("calm", {"rekey_limit": 6}),
        ("long", {"cooldown_s": 6.0}),
    ],
)
def test_a_changed_default_shows_as_a_changed_log(name: str, changes: dict[str, Any]) -> None:
    policy = Policy(replace(policy_of(name).config, **changes))
    assert fold(replay(policy, FLIGHTS / name)) != log_of(name)


def test_calm_goes_one_step_up_on_the_ground_then_renews_keys_every_minute() -> None:
    (up,) = moves("calm")
    assert (up["action"], up["t"], up["to"]) == ("UPGRADE", 30.0, MLKEM768)
    assert decisions("calm")[30].inputs.armed.value is False
    rekeys = [line["t"] for line in log("calm") if line["action"] == "REKEY"]
    assert [b - a for a, b in pairwise(rekeys[:3])] == [61.0, 61.0]
    assert {line["rule"] for line in log("calm")} == {"nominal", "upgrade", "cooldown", "rekey"}


def test_hot_shows_the_paper_s_table_which_uses_every_family_of_level_3_then_the_lightest() -> None:
    *down, emergency = moves("hot")
    assert [(line["action"], line["rule"]) for line in down] == [("DOWN", "stress")] * 3
    assert [suite(line["to"]).family for line in down] == ["hqc", "frodokem", "ml_kem"]
    assert {suite(line["to"]).level for line in down} == {3}
    assert (emergency["action"], emergency["to"]) == ("DOWN_TO_LIGHTEST", LIGHTEST)
    first = next(d.t for d in decisions("hot") if d.inputs.thermal.value.temperature_c > 80.0)
    in_use = next(d.t for d in decisions("hot") if d.inputs.session.value.suite == LIGHTEST)
    assert in_use - first <= 1.0


def test_sagging_goes_below_14_v_to_the_lightest_at_once_and_nowhere_before() -> None:
    (emergency,) = moves("sagging")
    assert (emergency["action"], emergency["rule"]) == ("DOWN_TO_LIGHTEST", "emergency")
    assert emergency["to"] == LIGHTEST
    low = next(d.t for d in decisions("sagging") if d.inputs.battery.value.voltage_v < 14.0)
    in_use = next(d.t for d in decisions("sagging") if d.inputs.session.value.suite == LIGHTEST)
    assert in_use - low <= 2.0 + 3.0  # the voltage has to stay low for 2 s


def test_jammed_renews_its_keys_by_a_ratchet_keeps_its_suite_and_says_why() -> None:
    assert moves("jammed") == []
    asked = [d for d in decisions("jammed") if d.to_suite]
    assert [(d.rule, d.ratchet) for d in asked] == [("attack", True)]
    seen = [d for d in decisions("jammed") if d.inputs.advisor.value is Verdict.ATTACK]
    held = [d for d in seen if d.action == "HOLD" and d.rule != "safety"]
    assert {d.rule for d in held} == {"endure"}
    assert "jammed" in {d.cue_id for d in held}


def test_flapping_undoes_the_step_up_and_then_rarely_changes_suite() -> None:
    up, back, *later = moves("flapping")
    assert (up["action"], up["to"]) == ("UPGRADE", MLKEM768)
    assert (back["action"], back["rule"], back["to"]) == ("ROLLBACK", "blackout", MLKEM512)
    assert back["t"] - up["t"] <= 11.0
    assert [line["action"] for line in later] == ["UPGRADE"]
    assert later[0]["t"] - back["t"] >= 300.0, "the suite is blacklisted for so long"


def test_sensor_loss_names_the_missing_input_until_it_is_back_and_renews_keys_meanwhile() -> None:
    held = [line for line in log("sensor_loss") if line["rule"] == "safety"]
    named = [line["reason"].partition(" is ")[0] for line in held]
    assert list(dict.fromkeys(named)) == [
        f"The newest {INPUTS[name].noun}" for name in ("thermal", "battery", "armed", "link")
    ]
    assert {line["action"] for line in held} == {"HOLD"}
    without = [d for d in decisions("sensor_loss") if d.action == "REKEY" and d.missing]
    assert {d.missing for d in without} == {("thermal",), ("battery", "armed")}
    after = [line["rule"] for line in log("sensor_loss") if line["t"] > held[-1]["t"]]
    assert after[:2] == ["nominal", "rekey"]


def test_crash_holds_without_a_session_until_there_is_a_new_one() -> None:
    sessions = [d.inputs.session for d in decisions("crash")]
    gone = [d for d in decisions("crash") if d.inputs.session.age_s > 2.0]
    assert {(d.action, d.rule) for d in gone} == {("HOLD", "safety")}
    assert len(gone) >= 16
    assert sessions[-1].value.suite == MLKEM768
    # A tunnel that is gone is no attack.
    assert moves("crash") == []


def test_long_renews_its_keys_all_the_way_and_always_has_a_rekey_left_for_a_switch() -> None:
    all_of_them = decisions("long")
    rekeys = [d.t for d in all_of_them if d.action == "REKEY"]
    assert len(rekeys) >= 19
    assert max(b - a for a, b in pairwise(rekeys)) < 200.0
    for first, fifth in zip(rekeys, rekeys[4:], strict=False):
        assert fifth - first >= 300.0
    assert [line["action"] for line in moves("long")] == ["UPGRADE"]
    held = [d for d in all_of_them if "are the limit" in d.reason]
    assert {d.rule for d in held} == {"rekey"}


@every_flight
def test_no_flight_goes_up_in_the_air_or_below_its_floor(name: str) -> None:
    allowed = policy_of(name).config.allowed
    for decision in decisions(name):
        if decision.action == "UPGRADE":
            assert decision.inputs.armed.value is False
        if decision.to_suite is not None:
            assert allowed.allows(suite(decision.to_suite))
