# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the output, the files, the picture and the error messages of the replay command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flight import LIGHTEST
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.decision import Action
from pqc_policy.policy.decision_log import fold
from pqc_policy.policy.engine import Policy
from pqc_policy.replay.obedient_session import decide_obeyed
from pqc_policy.replay.recording import read_recording, replay
from pqc_policy.replay.replay_command import main
from recorded import MLKEM768, Entry, flight, made, write_bag


def low_battery(seconds: int = 30) -> list[Entry]:
    """Return a flight whose battery is nearly empty from its tenth second on."""
    return [
        (at, topic, made("battery", at - 0.1, voltage_v=13.9, rate_mv_per_min=-40.0, charge=0.1))
        if topic == "battery" and at >= 1010
        else (at, topic, message)
        for at, topic, message in flight(seconds)
    ]


@pytest.fixture
def bag(tmp_path: Path) -> Path:
    return write_bag(tmp_path / "empty_battery", low_battery())


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*arguments: Any) -> tuple[int, str, str]:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as ended:
            code = int(ended.code or 0)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return command


def test_replay_prints_a_line_for_every_line_of_the_log(run: Run, bag: Path) -> None:
    code, out, err = run(bag)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("empty_battery, strategy telemetry_aware (the session is the rec")
    assert lines[1].split() == ["t", "action", "rule", "from", "->", "to", "reason"]
    assert lines[3].split()[:7] == [
        *("10", "s", "DOWN_TO_LIGHTEST", "emergency"),
        *(MLKEM768.removeprefix("cs-"), "->", LIGHTEST.removeprefix("cs-")),
    ]


def test_replay_writes_the_folded_log(run: Run, bag: Path, tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    assert run(bag, "--json", file)[0] == 0
    assert json.loads(file.read_text()) == fold(replay(Policy(PolicyConfig()), bag))


@pytest.mark.parametrize(("suffix", "start"), [(".png", b"\x89PNG"), (".svg", b"<?xml")])
def test_replay_draws_the_flight(
    run: Run, bag: Path, tmp_path: Path, suffix: str, start: bytes
) -> None:
    pytest.importorskip("matplotlib")
    file = tmp_path / f"picture{suffix}"
    assert run(bag, "--picture", file)[0] == 0
    assert file.read_bytes().startswith(start)


def test_a_flight_without_telemetry_can_be_drawn(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    entries = [entry for entry in flight(5) if entry[1] == "vehicle"]
    bag = write_bag(tmp_path / "bag", entries)
    assert run(bag, "--picture", tmp_path / "picture.svg", "--origin", "obedient")[0] == 0


def test_an_obedient_session_follows_the_decisions(run: Run, bag: Path) -> None:
    recorded = replay(Policy(PolicyConfig()), bag)
    obeyed = list(decide_obeyed(Policy(PolicyConfig()), read_recording(bag)))
    assert {d.from_suite for d in recorded} == {MLKEM768}
    assert [d.to_suite for d in obeyed if d.action is not Action.HOLD] == [LIGHTEST]
    assert obeyed[-1].from_suite == LIGHTEST
    session = obeyed[-1].inputs.session.value
    assert session is not None and (session.epoch, session.failure) == (1, None)
    assert session.key_age_s == pytest.approx(obeyed[-1].t - 1010 - 1 - 0.9)
    assert "what if: the session follows these decisions" in run(bag, "--origin", "obedient")[1]


def test_replay_can_use_another_strategy(run: Run, bag: Path) -> None:
    code, out, _ = run(bag, "--strategy", "static")
    assert code == 0
    assert "strategy static" in out and "emergency" not in out


def test_replay_reads_a_parameter_file_of_the_node(run: Run, bag: Path, tmp_path: Path) -> None:
    file = tmp_path / "params.yaml"
    file.write_text(
        "/**/tunnel:\n  ros__parameters:\n    role: drone\n"
        "/**/policy:\n  ros__parameters:\n    advise_only: true\n    emergency_voltage_v: 13.0\n"
        "    expert:\n      warm_c: 60.0\n    diagnostic_updater.period: 1.0\n"
    )
    code, out, _ = run(bag, "--params", file)
    assert code == 0
    assert "emergency" not in out


def test_parameters_beside_the_recording_are_the_default(run: Run, bag: Path) -> None:
    (bag / "policy.yaml").write_text("emergency_voltage_v: 13.0\n")
    code, out, _ = run(bag)
    assert code == 0
    assert "emergency" not in out
    assert f"Parameters: {bag / 'policy.yaml'}" in out


def test_replay_prints_whether_the_flight_decided_the_same(run: Run, tmp_path: Path) -> None:
    entries = flight(4)
    decisions = replay(Policy(PolicyConfig()), write_bag(tmp_path / "first", entries))
    messages = [
        (
            d.t + 0.2,
            "decision",
            made(
                "decision",
                d.t,
                action=d.action.value,
                rule=d.rule,
                from_suite=d.from_suite,
                reason=d.reason,
            ),
        )
        for d in decisions
    ]
    both = sorted([*entries, *messages], key=lambda entry: entry[0])
    bag = write_bag(tmp_path / "second", both)
    assert "The 3 decisions recorded in flight are the same." in run(bag)[1]
    other = tmp_path / "other.yaml"
    other.write_text("stale_s: 0.5\n")
    assert "differ, the first one at 0 s." in run(bag, "--params", other)[1]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--strategy", "bold"], 2, "invalid choice: 'bold'"),
        (["--picture", "flight.gif"], 2, "flight.gif must end in .png or .svg."),
        (["--params", "/nowhere.yaml"], 1, "The parameter file /nowhere.yaml can't be read"),
        (["--profile", "/nowhere.json"], 1, "The profile /nowhere.json can't be read"),
        (["--json", "/nowhere/log.json"], 1, "/nowhere/log.json can't be written: No such file"),
        (["--namespace", "drone9/pqc"], 1, "has no topic like /drone9/pqc/status; its topics are"),
    ],
)
def test_a_mistake_is_reported_in_one_sentence(
    run: Run, bag: Path, arguments: list[str], code: int, sentence: str
) -> None:
    ended, _, err = run(bag, *arguments)
    assert ended == code
    assert sentence in err.splitlines()[-1]
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("cells: [", "is not YAML."),
        ("- cells", "must be a table of names and values."),
        ("/**/tunnel:\n  ros__parameters:\n    role: drone\n", "has no section for the policy."),
        ("cells: 0", "cells is 0, but must be from 1 to 24."),
        ("colour: red", "There is no parameter colour."),
        ("settle_s: 3", "settle_s is 3.0, but must be from 0 to 0.9."),
    ],
)
def test_a_bad_parameter_file_is_reported(
    run: Run, bag: Path, tmp_path: Path, text: str, sentence: str
) -> None:
    file = tmp_path / "params.yaml"
    file.write_text(text)
    code, _, err = run(bag, "--params", file)
    assert (code, err.count("\n")) == (1, 1)
    assert err.endswith(f"{sentence}\n")


def test_a_missing_bag_is_reported(run: Run, tmp_path: Path) -> None:
    assert run(tmp_path / "nowhere") == (1, "", f"There is no bag {tmp_path / 'nowhere'}.\n")
