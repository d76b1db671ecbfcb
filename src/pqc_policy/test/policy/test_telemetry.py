# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from math import nan
from random import Random
from types import SimpleNamespace

import pytest
from histories import INPUTS as GENERATED
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.inputs import (
    INPUTS,
    REQUIRED_INPUTS,
    Computer,
    DecisionInput,
    Failure,
    Held,
    Phase,
    Reading,
    Session,
    Verdict,
)
from pqc_policy.policy.state import PolicyState
from pqc_policy.policy.telemetry import BACKLOG, TOPICS, Telemetry
from recorded import (
    MLKEM768,
    REFUSED,
    REKEY_FAILED,
    REKEYING,
    ROLLBACK,
    SECOND,
    calm_second,
    link,
    made,
    part,
    stamp,
    status,
)

from pqc_msgs import msg as messages

AT = 1000
AT_NS = AT * SECOND


@pytest.fixture
def telemetry() -> Telemetry:
    return Telemetry()


def test_inputs_are_empty_before_any_message(telemetry: Telemetry) -> None:
    inputs = telemetry.inputs(AT_NS)
    assert inputs.now_s == AT
    for name in ("link", "battery", "thermal", "power_w", "armed", "advisor", "session"):
        assert getattr(inputs, name) == Reading()


def test_each_topic_is_read_with_its_age(telemetry: Telemetry) -> None:
    for topic, message in calm_second(AT - 0.25).items():
        telemetry.take(topic, message)
    telemetry.take("power", made("power", AT - 0.1, power_w=4.5))
    telemetry.take("advisor", made("advisor", AT - 0.6, verdict=2, attack_class="timing"))
    inputs = telemetry.inputs(AT_NS)
    assert inputs.link.value is not None and inputs.link.value.gap_p95_s == 0.02
    assert inputs.battery.value is not None and inputs.battery.value.voltage_v == 15.6
    assert inputs.thermal.value is not None and inputs.thermal.value.temperature_c == 55.0
    assert inputs.armed == Reading(True, 0.25)
    assert inputs.power_w == Reading(4.5, 0.1)
    assert inputs.advisor == Reading(Verdict.ATTACK, 0.6)
    assert inputs.attack_class == Reading("timing", 0.6)
    assert inputs.session == Reading(Session(MLKEM768, key_age_s=1.0), 0.25)


def test_the_newest_of_several_messages_between_two_decisions_is_used(telemetry: Telemetry) -> None:
    for tenth in range(10):
        telemetry.take("power", made("power", AT - 1 + tenth / 10, power_w=float(tenth)))
    assert telemetry.inputs(AT_NS).power_w == Reading(9.0, 0.1)


def test_a_message_with_a_later_stamp_is_not_used_yet(telemetry: Telemetry) -> None:
    telemetry.take("thermal", made("thermal", AT, temperature_c=50.0))
    telemetry.take("thermal", made("thermal", AT + 0.05, temperature_c=60.0))
    now, then = telemetry.inputs(AT_NS).thermal, telemetry.inputs(AT_NS + SECOND).thermal
    assert now.value is not None and (now.value.temperature_c, now.age_s) == (50.0, 0.0)
    assert then.value is not None and (then.value.temperature_c, then.age_s) == (60.0, 0.95)


def test_the_order_of_arrival_makes_no_difference() -> None:
    messages = [
        (topic, message)
        for second in range(5)
        for topic, message in calm_second(AT - 5 + second).items()
    ]
    messages += [
        ("events", made("events", AT - 3, kind=REKEY_FAILED, suite="a", text="Timed out.")),
        ("events", made("events", AT - 2, kind=ROLLBACK, suite="b", text="Bad tag.")),
    ]
    expected = None
    for seed in range(5):
        Random(seed).shuffle(messages)
        telemetry = Telemetry()
        for topic, message in messages:
            telemetry.take(topic, message)
        inputs = telemetry.inputs(AT_NS)
        expected = expected or inputs
        assert inputs == expected


def test_an_older_message_does_not_replace_a_newer_one(telemetry: Telemetry) -> None:
    telemetry.take("status", status(AT - 0.5, epoch=3))
    telemetry.inputs(AT_NS)
    telemetry.take("status", status(AT - 0.7, epoch=2))
    session = telemetry.inputs(AT_NS + SECOND).session
    assert session.value is not None and session.value.epoch == 3


def test_the_last_of_several_messages_with_the_same_stamp_is_used(telemetry: Telemetry) -> None:
    telemetry.take("vehicle", made("vehicle", AT - 0.5, armed=True))
    telemetry.take("vehicle", made("vehicle", AT - 0.5, armed=False))
    assert telemetry.inputs(AT_NS).armed == Reading(False, 0.5)


def test_memory_is_bounded_without_decisions(telemetry: Telemetry) -> None:
    for n in range(4 * BACKLOG):
        for topic in TOPICS:
            fields = {"kind": ROLLBACK, "suite": "a"} if topic == "events" else {}
            telemetry.take(topic, made(topic, AT + n / 1000, **fields))
    kept = [len(timeline._values) for timeline in telemetry._timelines.values()]
    assert max(kept) == BACKLOG


def test_messages_of_a_clock_far_ahead_do_not_displace_the_others(telemetry: Telemetry) -> None:
    for second in range(3 * BACKLOG):
        telemetry.take("vehicle", made("vehicle", 9e8 + second, armed=True))
        telemetry.take("vehicle", made("vehicle", AT + second - 0.5, armed=False))
        assert telemetry.inputs(AT_NS + second * SECOND).armed == Reading(False, 0.5)


def test_the_peers_report_has_its_stated_age(telemetry: Telemetry) -> None:
    telemetry.take("link", link(AT - 0.5, remote_age_s=0.75, clock_valid=True, rtt_s=0.08))
    reading = telemetry.inputs(AT_NS).link
    assert reading.age_s == 1.25
    assert reading.value is not None and reading.value.rtt_s == 0.08


def test_a_round_trip_that_was_not_measured_is_unknown(telemetry: Telemetry) -> None:
    telemetry.take("link", link(AT - 0.5, clock_valid=False, rtt_s=0.0))
    reading = telemetry.inputs(AT_NS).link
    assert reading.value is not None and reading.value.rtt_s is None


def test_the_rate_is_that_of_the_slowest_link_that_carries_data(telemetry: Telemetry) -> None:
    def path(carries: bool, rate: float, source: str) -> SimpleNamespace:
        return SimpleNamespace(carries=carries, rate_bytes_s=rate, rate_source=source)

    paths = [path(True, 9e4, "streams"), path(True, 7e3, "saturation"), path(True, 0.0, "unknown")]
    telemetry.take("link", link(AT - 0.5, paths=[path(False, 5e3, "configured"), *paths]))
    value = telemetry.inputs(AT_NS).link.value
    assert (value.rate_bytes_s, value.rate_source) == (7e3, "saturation")


def test_the_link_is_unknown_without_the_peers_report(telemetry: Telemetry) -> None:
    telemetry.take("link", link(AT - 1.5))
    telemetry.take("link", link(AT - 0.5, remote_valid=False))
    assert telemetry.inputs(AT_NS).link == Reading()


def test_the_table_of_inputs_has_every_input_of_a_decision_and_its_topic() -> None:
    beside = {"now_s", "held", "attack_class"}  # no rule needs them
    assert set(INPUTS) == DecisionInput.__dataclass_fields__.keys() - beside
    assert {kind.topic for kind in INPUTS.values()} <= set(TOPICS)
    assert set(REQUIRED_INPUTS) < set(INPUTS) == set(GENERATED)


def test_nan_is_unknown(telemetry: Telemetry) -> None:
    telemetry.take("battery", made("battery", AT, voltage_v=15.0, charge=nan, endurance_s=nan))
    battery = telemetry.inputs(AT_NS).battery.value
    assert (battery.voltage_v, battery.charge, battery.endurance_s) == (15.0, None, None)


def test_a_tunnel_without_a_session_has_an_empty_suite(telemetry: Telemetry) -> None:
    telemetry.take("status", status(AT - 0.5, suite="", key_age_s=-1.0, state=0))
    assert telemetry.inputs(AT_NS).session == Reading(Session(""), 0.5)


def test_a_rekey_under_way_is_in_the_session(telemetry: Telemetry) -> None:
    telemetry.take("status", status(AT - 0.5, state=REKEYING))
    session = telemetry.inputs(AT_NS).session.value
    assert session is not None and session.rekeying


def test_suites_that_cannot_be_used_are_barred_until_they_can(telemetry: Telemetry) -> None:
    suites = [
        part("SuiteInfo", id="fine", available=True, allowed=True),
        part("SuiteInfo", id="absent", available=False, allowed=True),
        part("SuiteInfo", id="forbidden", available=True, allowed=False),
        part(
            "SuiteInfo",
            id="failed",
            available=True,
            allowed=True,
            blacklisted_until=stamp(AT + 1.0),
        ),
    ]
    telemetry.take("suites", made("suites", AT - 900, suites=suites))
    for second, barred in ((0, {"absent", "forbidden", "failed"}), (1, {"absent", "forbidden"})):
        telemetry.take("status", status(AT + second))
        session = telemetry.inputs(AT_NS + second * SECOND).session.value
        assert session is not None and session.blacklisted == barred


def test_failures_are_counted_and_the_newest_is_kept(telemetry: Telemetry) -> None:
    telemetry.take("status", status(AT))
    for at, kind, suite, text in (
        (AT - 3.0, REKEY_FAILED, "a", "It timed out."),
        (AT - 2.0, REFUSED, "b", "The peer does not allow it."),
        (AT - 1.5, REFUSED, "", "The peer is unknown."),
        (AT - 1.0, ROLLBACK, "c", "The finish was not genuine."),
        (AT - 0.5, 5, "d", "New keys."),
        (AT + 0.5, REKEY_FAILED, "e", "Later."),
    ):
        telemetry.take("events", made("events", at, kind=kind, suite=suite, text=text))
    session = telemetry.inputs(AT_NS).session.value
    assert session.failure == Failure(3, "c", "The finish was not genuine", authenticated=True)
    session = telemetry.inputs(AT_NS + SECOND).session.value
    assert session is not None and session.failure == Failure(4, "e", "Later")


def test_other_topics_are_ignored(telemetry: Telemetry) -> None:
    telemetry.take("decision", object())
    assert telemetry.inputs(AT_NS).session == Reading()


def test_messages_of_the_installed_package_can_be_read(telemetry: Telemetry) -> None:
    classes = {
        "status": messages.TunnelStatus,
        "link": messages.LinkReport,
        "events": messages.TunnelEvent,
        "suites": messages.SuiteList,
        "battery": messages.BatteryPrediction,
        "vehicle": messages.VehicleState,
        "thermal": messages.ThermalReading,
        "power": messages.PowerReading,
        "advisor": messages.AdvisorVerdict,
        "computer": messages.ComputerLoad,
        "held_suite": messages.HeldSuite,
        "fleet_warning": messages.FleetWarning,
    }
    assert set(classes) == set(TOPICS)
    for topic, message_class in classes.items():
        message = message_class()
        message.stamp.sec = AT - 1
        if topic == "status":
            assert message.STATE_REKEYING == REKEYING
            message.suite = MLKEM768
        if topic == "events":
            assert (message.REKEY_FAILED, message.ROLLBACK, message.REFUSED) == (7, 8, 13)
            message.kind, message.suite = message.ROLLBACK, MLKEM768
        telemetry.take(topic, message)
    decision, _ = Policy(PolicyConfig()).decide(PolicyState(), telemetry.inputs(AT_NS))
    assert json.loads(decision.to_json())["inputs"]["session"]["value"]["suite"] == MLKEM768


def test_after_the_clock_is_set_back_only_older_messages_are_used(telemetry: Telemetry) -> None:
    suites = [part("SuiteInfo", id="absent")]
    telemetry.take("suites", made("suites", AT - 900, suites=suites))
    for topic, message in calm_second(AT - 0.5).items():
        telemetry.take(topic, message)
    telemetry.take("events", made("events", AT - 1, kind=ROLLBACK, suite="a"))
    telemetry.inputs(AT_NS)
    telemetry.forget_after(AT_NS - 100 * SECOND)
    assert telemetry.inputs(AT_NS - 99 * SECOND).session == Reading()
    telemetry.take("status", status(AT - 98))
    session = telemetry.inputs(AT_NS - 98 * SECOND).session.value
    assert (session.blacklisted, session.failure) == ({"absent"}, None)


def test_the_cells_of_the_pack_are_read_from_the_battery(telemetry: Telemetry) -> None:
    telemetry.take("battery", made("battery", AT, voltage_v=22.0, cells=6))
    battery = telemetry.inputs(AT_NS).battery.value
    assert battery is not None and battery.cells == 6
    telemetry.take("battery", made("battery", AT + 1, voltage_v=15.0, cells=0))
    battery = telemetry.inputs(AT_NS + SECOND).battery.value
    assert battery is not None and battery.cells == 4, "a message that does not tell"


def test_phase_load_and_the_operator_s_hold_are_read(telemetry: Telemetry) -> None:
    telemetry.take("vehicle", made("vehicle", AT, armed=True, phase=5))
    telemetry.take("computer", made("computer", AT, load=0.5, memory=nan, throttled=2))
    telemetry.take("held_suite", made("held_suite", AT, suite=MLKEM768, seconds=10.0))
    inputs = telemetry.inputs(AT_NS + 4 * SECOND)
    assert inputs.phase == Reading(Phase.HOVER, 4.0)
    assert inputs.computer == Reading(Computer(0.5, None, throttled=True), 4.0)
    assert inputs.held == Held(MLKEM768, AT + 10.0)
    assert telemetry.inputs(AT_NS + 10 * SECOND).held is None
    telemetry.take("held_suite", made("held_suite", AT + 11, suite=MLKEM768, seconds=10.0))
    telemetry.take("held_suite", made("held_suite", AT + 12))
    assert telemetry.inputs(AT_NS + 12 * SECOND).held is None, "it was released"


def test_a_vehicle_that_does_not_tell_its_phase_has_none(telemetry: Telemetry) -> None:
    telemetry.take("vehicle", made("vehicle", AT, armed=True))
    assert telemetry.inputs(AT_NS).phase == Reading()
    assert telemetry.inputs(AT_NS).armed == Reading(True, 0.0)


def test_a_verdict_without_a_class_names_no_attack() -> None:
    telemetry = Telemetry()
    telemetry.take("advisor", made("advisor", AT - 0.6, verdict=0))
    inputs = telemetry.inputs(round(AT * SECOND))
    assert inputs.advisor.value is Verdict.CLEAR
    assert inputs.attack_class == Reading()
