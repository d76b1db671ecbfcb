# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Text from elsewhere: no outlet lets it begin a line, or reach the terminal with a control."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from unicodedata import category

import pytest
import rclpy
from hypothesis import given
from hypothesis import strategies as st
from pqc_policy.foreign_fault import sentence
from pqc_policy.named_files import FileFault
from pqc_policy.nodes.process.shown_log import show_log
from pqc_policy.parameters import ParameterFault
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.explain.decision_log import fold, to_json
from pqc_policy.policy.explain.explain import explain
from pqc_policy.policy.state import PolicyState
from pqc_policy.replay.recording import RecordingFault, read_recording
from pqc_policy.replay.replay_command import main
from pqc_policy.sensing.detectors.detector_fault import DetectorFault
from pqc_policy.shown_text import MOST_SHOWN, shown, shown_lines, shown_streams
from rclpy.logging import get_logger
from recorded import Entry, calm_second, flight, made, parameters, status, write_bag

TABLE = next(Path(__file__).parents[2].glob("*/test/vectors/shown_text.tsv"), None)
FORGED = "x\n[INFO] all is well\r\x1b]0;title\x07\u202e\x85\u2028y"
SHOWN = r"x\n[INFO] all is well\r\x1b]0;title\x07\u202e\u0085\u2028y"
FAULTS = (ParameterFault, FileFault, RecordingFault, DetectorFault)


def test_the_table_that_the_tunnel_shares() -> None:
    if TABLE is None:
        pytest.skip("needs the source tree")
    rows = [one for one in TABLE.read_text("utf-8").splitlines() if not one.startswith("#")]
    assert len(rows) == 17
    for row in rows:
        given_, _, expected = row.partition("\t")
        assert shown(bytes.fromhex(given_).decode("utf-8", "surrogateescape")) == expected


def test_a_long_text_is_cut() -> None:
    assert shown("a" * MOST_SHOWN) == "a" * MOST_SHOWN
    assert shown("a" * (MOST_SHOWN + 1)) == "a" * MOST_SHOWN + "…"
    assert shown(FORGED, 3) == r"x\n[" + "…"


@given(st.text(st.characters() | st.sampled_from(FORGED), max_size=40))
def test_no_text_has_an_effect(text: str) -> None:
    line = shown(text)
    assert not {category(one) for one in line} & {"Cc", "Cs", "Zl", "Zp"}
    assert not set(line) & {"\u061c", "\u200f", "\u202e", "\u2066"}
    assert len(line.splitlines()) <= 1
    assert shown(line) == line
    line.encode()
    for fault in FAULTS:
        assert str(fault(text)) == line
    assert len(sentence(ValueError(text)).splitlines()) == 1
    assert "\x1b" not in shown_lines(text)


def test_the_standard_streams_let_own_lines_pass(capsys: pytest.CaptureFixture[str]) -> None:
    @shown_streams()
    def speak() -> None:
        print("one\n\ttwo \x1b[2J")
        print("three \x9b", file=sys.stderr)

    speak()
    speak()
    captured = capsys.readouterr()
    assert captured.out == "one\n\ttwo \\x1b[2J\n" * 2
    assert captured.err == "three \\u009b\n" * 2


def hostile_flight() -> list[Entry]:
    """Return a flight in which every text of the policy's topics is forged."""
    entries = flight(10)
    for second in range(10, 14):
        at_s = 1000.1 + second
        messages = calm_second(at_s) | {
            "status": status(at_s, FORGED),
            "events": made("events", at_s, kind=7, suite=FORGED, text=FORGED),
            "advisor": made("advisor", at_s, verdict=3, attack_class=FORGED),
            "vehicle": made("vehicle", at_s, armed=True, mode=FORGED),
            "held_suite": made("held_suite", at_s, suite=FORGED, seconds=60.0),
        }
        entries += [(at_s + 0.2, topic, message) for topic, message in messages.items()]
    changed = parameters(1011.0, strategy="static", profile="")
    return sorted([*entries, (1011.0, "policy_parameters", changed)], key=lambda one: one[0])


def test_a_hostile_flight_begins_no_line_in_replay_log_or_explanation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bag = write_bag(tmp_path / "bag", hostile_flight())
    policy = Policy(PolicyConfig())
    decisions = list(policy.replay(read_recording(bag)))
    assert any(repr(SHOWN)[1:-1] in str(decision.inputs) for decision in decisions)
    for decision in decisions:
        text = explain(decision, policy, PolicyState())
        assert FORGED[1:] not in text and "\x1b" not in text
        assert not any(line.startswith("[INFO]") for line in text.splitlines())
    log = json.loads(to_json(fold(decisions)))
    assert "\x1b" not in str(log)
    assert main([str(bag), "--strategy", "telemetry_aware"]) == 0
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out + captured.err
    assert not any(line.startswith("[INFO]") for line in captured.out.splitlines())


def test_a_bag_and_a_topic_with_forged_names_are_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "bag\n[INFO] x\x1b[1m"
    bag = write_bag(tmp_path / name, [(1.0, "/a\nb", made("vehicle", 1.0))])
    assert main([str(bag)]) == 1
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert r"\n[INFO] x\x1b[1m" in captured.err


def test_a_log_of_rclpy_is_one_line_whoever_writes_it(
    capfd: pytest.CaptureFixture[str],
) -> None:
    show_log()
    show_log()
    context = rclpy.Context()
    rclpy.init(context=context)
    logger = get_logger("policy")
    for number in range(3):
        logger.warning(f"{number} {FORGED}", once=True)
        logger.info(FORGED)
    context.try_shutdown()
    out, err = capfd.readouterr()
    lines = [line for line in (out + err).splitlines() if line]
    assert len(lines) == 4
    assert all(line.endswith(SHOWN) for line in lines)
