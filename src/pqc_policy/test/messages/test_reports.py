# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from message_examples import HEAVY, HELD, LIGHT, decision, full_decision, step_down
from pqc_policy.messages import names
from pqc_policy.messages.content import MOST_BYTES, Kind
from pqc_policy.messages.reports import (
    ComputerReadings,
    DecisionRepeater,
    changes_suite,
    decision_report,
    read_computer,
    read_decision,
)
from pqc_policy.policy.suites import SUITES, find_suite

from pqc_msgs.msg import (
    ComputerLoad,
    DroneDecision,
    PolicyDecision,
    PolicyInputs,
    PowerReading,
    ThermalReading,
)

# As the protocol's page has it.
FULL = (
    "021f"  # DOWN; ratchet, armed is known, armed, advice only, a suite is held
    "0102010201"  # suite in use
    "0101010101"  # suite to change to
    "2b002a05dc"  # loss, round trip, gap
    "05cb64ffdd02"  # voltage, charge, temperature, verdict
    "046c696e6b"  # rule
    "06657870657274"  # strategy
    "0404020502"  # the limit; transit; jamming; neither link nor temperature; jammed
    "0103010301"  # suite that is held
)
_BEFORE_REASONS, _REASONS, _HELD_SUITE = len(FULL) // 2 - 10, 5, 5


def seen(told: PolicyDecision) -> DroneDecision:
    read = read_decision(decision_report(told).content)
    assert read is not None
    return read


def computer(*readings: ComputerLoad | ThermalReading | PowerReading) -> bytes:
    newest = ComputerReadings()
    for reading in readings:
        newest.take(reading, 100.0)
    message = newest.report(100.0)
    assert message.kind == Kind.COMPUTER
    return message.content


def load(**fields: float) -> ComputerLoad:
    return ComputerLoad(**{"load": 0.415, "memory": 0.73, "frequency_hz": 1.8e9} | fields)


def test_a_report_of_the_computer_is_read_as_it_was_written() -> None:
    content = computer(
        load(throttled=2), ThermalReading(temperature_c=61.5), PowerReading(power_w=4.27)
    )
    assert len(content) == 9
    read = read_computer(content)
    assert (read.load, read.memory) == pytest.approx((0.415, 0.73))
    assert (read.throttled, read.frequency_hz) == (2, 1.8e9)
    assert (read.temperature_c, read.power_w) == pytest.approx((61.5, 4.27))


def test_values_of_the_computer_beyond_their_range_are_at_its_end() -> None:
    read = read_computer(
        computer(
            load(load=2.0, memory=-1.0, frequency_hz=1e12),
            ThermalReading(temperature_c=1e6),
            PowerReading(power_w=1e9),
        )
    )
    assert (read.load, read.memory) == pytest.approx((1.27, 0.0))
    assert (read.temperature_c, read.power_w) == pytest.approx((3276.7, 655.34))


def test_readings_of_the_computer_count_for_three_seconds() -> None:
    readings = ComputerReadings()
    assert readings.report(100.0) is None
    readings.take(load(load=0.5, memory=math.nan), 96.0)
    assert readings.report(100.0) is None
    readings.take(load(load=0.5, memory=math.nan), 100.0)
    readings.take(PowerReading(power_w=4.2), 100.0)
    message = readings.report(103.0)
    read = read_computer(message.content)
    assert (read.load, read.power_w) == pytest.approx((0.5, 4.2))
    assert math.isnan(read.memory)
    assert math.isnan(read.temperature_c)


def test_a_report_of_the_computer_without_a_meaning_is_ignored() -> None:
    whole = computer(load())
    assert read_computer(whole + b"\x07") is not None, "bytes of a later version"
    assert all(read_computer(whole[:size]) is None for size in range(len(whole)))
    assert read_computer(whole[:2] + b"\x03" + whole[3:]) is None, "neither throttled nor not"


def test_a_decision_has_the_bytes_of_the_specification() -> None:
    message = decision_report(full_decision())
    assert (message.kind, message.content.hex()) == (Kind.DECISION, FULL)


def test_a_decision_is_read_as_it_was_written() -> None:
    read = seen(full_decision())
    assert (read.action, read.rule, read.strategy) == ("DOWN", "link", "expert")
    assert (read.from_suite, read.to_suite, read.held_suite) == (HEAVY, LIGHT, HELD)
    assert (read.asked, read.ratchet, read.armed_known, read.armed) == (False, True, True, True)
    assert (read.link_loss, read.link_rtt_s) == pytest.approx((0.215, 0.042))
    assert (read.link_gap_p95_s, read.battery_voltage_v) == pytest.approx((1.5, 14.83))
    assert (read.battery_charge, read.temperature_c) == pytest.approx((0.5, -3.5))
    assert (read.advisor_verdict, read.attack_class) == ("attack", "jamming")
    assert (read.hold, read.phase, read.missing) == ("limit", "transit", ["link", "thermal"])
    assert (read.cue_id, read.cue) == ("jammed", "jammed: climb, change channel, or turn back")


def test_a_decision_has_only_inputs_that_are_known_and_fresh() -> None:
    inputs = PolicyInputs(
        link_loss=0.25,
        link_rtt_s=math.nan,
        battery_age_s=9.0,
        battery_voltage_v=15.0,
        thermal_age_s=-1.0,
        armed_age_s=9.0,
        armed=True,
        advisor_age_s=9.0,
        advisor_verdict="attack",
        advisor_class="jamming",
        phase_age_s=-1.0,
        phase="transit",
    )
    read = seen(step_down(inputs=inputs))
    assert read.link_loss == 0.25
    for value in (read.link_rtt_s, read.battery_voltage_v, read.temperature_c):
        assert math.isnan(value)
    assert (read.armed_known, read.armed, read.phase) == (False, False, "")
    assert (read.advisor_verdict, read.attack_class, read.held_suite) == ("", "", "")
    assert read.asked


def test_a_decision_without_a_session_names_no_suites() -> None:
    read = seen(PolicyDecision())
    assert (read.action, read.from_suite, read.to_suite, read.asked) == ("", "", "", False)


def test_what_has_no_number_is_other() -> None:
    inputs = PolicyInputs(
        phase="orbit", advisor_verdict="suspicious", advisor_class="gnomes", held_suite="cs-none"
    )
    later = full_decision(cue_id="meteor", hold="patience", missing=["link", "moon"], inputs=inputs)
    later.action = "DANCE"
    read = seen(later)
    assert (read.cue_id, read.cue) == ("other", "cue: see the drone's decision")
    assert (read.hold, read.phase, read.attack_class) == ("other", "other", "other")
    assert (read.action, read.missing, read.held_suite) == ("", ["link", "other"], "")
    later.cue_id = ""
    assert seen(later).cue_id == "other", "a policy of an earlier version"
    for code in (8, 99):
        read_later = read_decision(bytes((code,)) + bytes.fromhex(FULL)[1:])
        assert read_later.action == ""
    assert names.name_of(names.HOLDS, len(names.HOLDS) + 1) == "other"


def test_a_decision_of_an_earlier_version_ends_after_the_strategy() -> None:
    whole = bytes.fromhex(FULL)
    read = read_decision(whole[:_BEFORE_REASONS])
    assert (read.rule, read.hold, read.cue_id, read.held_suite) == ("link", "", "", "")
    assert read_decision(whole + b"\x07") is not None, "bytes of a later version"
    for size in {*range(len(whole))} - {_BEFORE_REASONS}:
        assert read_decision(whole[:size]) is None, size
    unheld = whole[:1] + bytes((whole[1] & ~0x10,)) + whole[2:-_HELD_SUITE]
    assert len(unheld) == _BEFORE_REASONS + _REASONS
    read = read_decision(unheld)
    assert (read.hold, read.held_suite) == ("limit", "")


def test_a_decision_fits_with_the_longest_names() -> None:
    content = decision_report(full_decision(rule=100 * "x", strategy=100 * "y")).content
    assert len(content) == 63 <= MOST_BYTES
    read = read_decision(content)
    assert (read.rule, read.strategy) == (14 * "x", 14 * "y")
    place = content.index(b"\x0ex")
    longer = content[:place] + b"\x0fx" + content[place + 2 :]
    assert read_decision(longer) is None


@pytest.mark.parametrize("letter", "!z~")
def test_a_name_has_letters_that_every_terminal_shows(letter: str) -> None:
    assert seen(step_down(rule=f"a{letter}")).rule == f"a{letter}"


@pytest.mark.parametrize("letter", "\0\n\x1b \x7f")
def test_a_name_that_no_terminal_shows_is_ignored(letter: str) -> None:
    assert read_decision(decision_report(step_down(rule=f"a{letter}")).content) is None
    assert seen(step_down(rule="caf\u00e9")).rule == "caf?"


def test_a_decision_changes_the_suite_if_the_tunnel_is_asked_for_another_one() -> None:
    assert changes_suite(step_down())
    assert not changes_suite(step_down(asked=False))
    assert not changes_suite(decision("REKEY", HEAVY, HEAVY))
    assert not changes_suite(decision("HOLD", HEAVY))


def test_every_suite_has_five_bytes_of_its_own() -> None:
    assert len({names.suite_code(suite.id) for suite in SUITES}) == len(SUITES)
    for suite in SUITES:
        for spelling in suite.ids:
            assert names.suite_id(names.suite_code(spelling)) == suite.id
    assert names.suite_code("cs-none") == names.NO_SUITE
    assert names.suite_id(names.UNKNOWN_SUITE) == ""
    known = {
        "cs-classicmceliece348864-chacha20poly1305-falcon512": "0301020102",
        "cs-frodokem1344aes-ascon128a-sphincs256s": "0403030303",
        "cs-hqc192-asconaead128-sphincs192f": "0202040204",
    }
    for suite_id, code in known.items():
        assert find_suite(suite_id) is not None
        assert names.suite_code(suite_id).hex() == code


@given(st.binary(max_size=MOST_BYTES))
def test_any_bytes_are_a_report_or_none(content: bytes) -> None:
    read_computer(content)
    read_decision(content)
    read_decision(bytes.fromhex(FULL)[:23] + content)


class TestRepeater:
    def test_it_tells_a_change_until_the_suite_changes_with_the_newest_inputs(self) -> None:
        repeater = DecisionRepeater()
        assert repeater.told(decision("HOLD", HEAVY), 0.0) == decision("HOLD", HEAVY)
        assert repeater.told(step_down(), 0.0) == step_down()
        waits = decision("HOLD", HEAVY, hold="under_way", inputs=PolicyInputs(link_loss=0.25))
        told = step_down(inputs=PolicyInputs(link_loss=0.25))
        assert repeater.told(waits, 1.0) == told
        assert waits.action == "HOLD"
        assert repeater.told(decision("HOLD", LIGHT), 2.0).action == "HOLD"
        assert repeater.told(decision("HOLD", HEAVY), 3.0).action == "HOLD", "it is done"

    def test_it_tells_a_change_for_ten_seconds(self) -> None:
        repeater = DecisionRepeater()
        repeater.told(step_down(), 0.0)
        assert repeater.told(decision("HOLD", HEAVY), 9.0).action == "DOWN"
        assert repeater.told(decision("HOLD", HEAVY), 10.0).action == "HOLD"

    def test_it_tells_what_the_policy_decides_for_next_in_its_place(self) -> None:
        repeater = DecisionRepeater()
        repeater.told(step_down(), 0.0)
        rekey = decision("REKEY", HEAVY, HEAVY)
        assert repeater.told(rekey, 1.0) == rekey
        assert repeater.told(decision("HOLD", HEAVY), 2.0).action == "HOLD"

    def test_it_does_not_repeat_mere_advice(self) -> None:
        repeater = DecisionRepeater()
        advised = step_down(asked=False)
        assert repeater.told(advised, 0.0) == advised
        assert repeater.told(decision("HOLD", HEAVY), 1.0).action == "HOLD"
