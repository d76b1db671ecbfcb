# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flight import LIGHTEST
from pqc_policy.policy.config import PolicyConfig
from pqc_policy.policy.engine import Policy
from pqc_policy.policy.explain.decision_log import fold
from pqc_policy.policy.telemetry import PARAMETERS
from pqc_policy.replay.recording import replay
from pqc_policy.replay.replay_command import main
from recorded import MLKEM768, Entry, flight, made, parameters, write_bag


def low_battery(seconds: int = 30) -> list[Entry]:
    """Return a flight whose battery is low from its eighth second on: 2 s later that counts."""
    return [
        (at, topic, made("battery", at - 0.1, voltage_v=13.9, rate_mv_per_min=-40.0, charge=0.1))
        if topic == "battery" and at >= 1008
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
    assert lines[0].startswith("empty_battery, strategy telemetry_aware: ")
    assert lines[1] == "Parameters: the defaults (the bag has none)."
    assert lines[2].split() == ["t", "action", "rule", "from", "->", "to", "reason"]
    assert lines[4].split()[:7] == [
        *("10", "s", "DOWN_TO_LIGHTEST", "emergency"),
        *(MLKEM768.removeprefix("cs-"), "->", LIGHTEST.removeprefix("cs-")),
    ]


def test_replay_writes_the_folded_log(run: Run, bag: Path, tmp_path: Path) -> None:
    file = tmp_path / "log.json"
    assert run(bag, "--json", file)[0] == 0
    assert json.loads(file.read_text()) == fold(replay(Policy(PolicyConfig()), bag))


def test_replay_can_use_another_strategy(run: Run, bag: Path) -> None:
    (_, usual, _), (code, out, _) = run(bag), run(bag, "--strategy", "paper_2025")
    assert code == 0 and "strategy paper_2025" in out
    began_s = [int(text.partition(" s  DOWN_TO_")[0].split()[-1]) for text in (usual, out)]
    assert began_s[0] - began_s[1] == 2, "the table takes one sample for an emergency"


def test_replay_reads_a_parameter_file_of_the_node(run: Run, bag: Path, tmp_path: Path) -> None:
    file = tmp_path / "params.yaml"
    file.write_text(
        "/**/tunnel:\n  ros__parameters:\n    role: drone\n"
        "/**/policy:\n  ros__parameters:\n    advise_only: true\n    emergency_voltage_v: 13.0\n"
        "    expert:\n      rtt_high_s: 0.6\n    diagnostic_updater.period: 1.0\n"
    )
    code, out, _ = run(bag, "--params", file)
    assert code == 0
    assert "emergency " not in out
    assert f"Parameters: {file} (the bag has none)." in out
    assert (
        "Replaced: emergency_voltage_v is 13.0, was 14.0; expert.rtt_high_s is 0.6, was 0.1; "
        "advise_only is True, was False." in out
    )


def recorded_parameters(*messages: tuple[float, dict[str, Any]]) -> list[Entry]:
    entries = [
        (max(at_s, 1000.0), PARAMETERS, parameters(at_s, **values)) for at_s, values in messages
    ]
    return sorted([*entries, *low_battery()], key=lambda entry: entry[0])


def test_recorded_parameters_are_used_and_a_file_beside_the_recording_is_not(
    run: Run, tmp_path: Path
) -> None:
    bag = write_bag(tmp_path / "bag", recorded_parameters((990.3, {"emergency_voltage_v": 13.0})))
    (bag / "policy.yaml").write_text("emergency_voltage_v: 14.0\n")
    code, out, _ = run(bag)
    assert code == 0
    assert "Parameters: recorded in the bag.\n" in out
    assert "emergency" not in out


def test_changes_in_flight_are_followed_and_named(run: Run, tmp_path: Path) -> None:
    entries = recorded_parameters(
        (990.3, {"emergency_voltage_v": 13.0, "allowed__suites": [""]}),
        (1019.0, {"emergency_voltage_v": 14.0, "allowed__suites": [MLKEM768, LIGHTEST]}),
    )
    out = run(write_bag(tmp_path / "bag", entries))[1]
    assert "At 19 s emergency_voltage_v changed from 13.0 to 14.0." in out
    # The stamp is that of the newest decision, so the change counts from the next one on.
    assert next(line.split()[0] for line in out.splitlines() if " DOWN_TO_" in line) == "22"


def test_options_replace_recorded_parameters_over_the_whole_flight(
    run: Run, tmp_path: Path
) -> None:
    entries = recorded_parameters(
        (990.3, {"emergency_voltage_v": 13.0}), (1019.0, {"emergency_voltage_v": 12.0})
    )
    bag, file = write_bag(tmp_path / "bag", entries), tmp_path / "params.yaml"
    file.write_text("emergency_voltage_v: 14.0\n")
    out = run(bag, "--params", file, "--strategy", "expert")[1]
    assert "At 19 s emergency_voltage_v changed from 13.0 to 12.0, which is replaced here." in out
    replaced = "Replaced: strategy is expert, was telemetry_aware; emergency_voltage_v is 14.0, was"
    assert replaced in out
    assert "11 s  DOWN_TO_LIGHTEST" in out


def test_a_recorded_parameter_that_this_version_does_not_have_is_ignored(
    run: Run, tmp_path: Path
) -> None:
    bag = write_bag(tmp_path / "bag", recorded_parameters((990.3, {"colour": "red"})))
    assert run(bag)[0] == 0


def test_parameters_beside_the_recording_are_the_default(run: Run, bag: Path) -> None:
    (bag / "policy.yaml").write_text("emergency_voltage_v: 13.0\n")
    code, out, _ = run(bag)
    assert code == 0
    assert "emergency" not in out
    assert f"Parameters: {bag / 'policy.yaml'} (the bag has none)." in out


def test_replay_prints_whether_the_flight_decided_the_same(run: Run, tmp_path: Path) -> None:
    entries = flight(4)
    decisions = replay(Policy(PolicyConfig()), write_bag(tmp_path / "first", entries))
    messages = [
        (
            d.t + 0.3,
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
        (["--strategy", "expert", "extra"], 2, "Unrecognized arguments: extra. See replay --help."),
        (["--json", "/"], 1, "/ can't be written: it is a folder."),
        (["--strat", "expert"], 2, "Unrecognized arguments: --strat expert."),
        (["--params", "/nowhere.yaml"], 1, "The parameter file /nowhere.yaml can't be read"),
        (["--profile", "/nowhere.json"], 1, "The profile /nowhere.json can't be read"),
        (["--json", "/nowhere/log.json"], 1, "/nowhere/log.json can't be written: there is"),
        (["--namespace", "drone9/pqc"], 1, "has no topic like /drone9/pqc/status; its topics are"),
    ],
)
def test_a_mistake_is_reported_in_one_sentence(
    run: Run, bag: Path, arguments: list[str], code: int, sentence: str
) -> None:
    ended, _, err = run(bag, *arguments)
    assert ended == code
    assert sentence in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("cells: [", "is not YAML."),
        ("- cells", "must be a table of names and values."),
        ("/**/tunnel:\n  ros__parameters: {}\n", "for the policy, only for /**/tunnel."),
        ("colour: red", "There is no parameter colour."),
        ("coldown_s: 4.0", "There is no parameter coldown_s; did you mean cooldown_s?"),
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


def command(*arguments: Any, **options: Any) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "pqc_policy.replay.replay_command", *map(str, arguments)]
    return subprocess.run(words, text=True, check=False, **options)


def test_the_reader_of_the_output_may_leave_and_the_files_are_written(
    bag: Path, tmp_path: Path
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    log = tmp_path / "log.json"
    done = command(bag, "--json", log, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(log.read_text())


def test_a_full_disk_under_the_output_is_reported(bag: Path) -> None:
    with open("/dev/full", "w") as full:
        done = command(bag, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (
        1,
        "The output can't be written: No space left on device.\n",
    )


def test_an_output_that_knows_ascii_only_gets_all_lines(bag: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = command(bag, env=environment, capture_output=True)
    assert done.returncode == 0
    assert "Seconds by rule" in done.stdout


def test_help_and_refusals_import_neither_numpy_nor_rosbags() -> None:
    program = (
        "import sys\n"
        "from pqc_policy.replay.replay_command import main\n"
        "try:\n    main(['bag', '--width'])\n"
        "except SystemExit:\n    pass\n"
        "print(sorted({'numpy', 'rosbags', 'yaml'} & sys.modules.keys()))\n"
    )
    words = [sys.executable, "-c", program]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("damage", ["no_storage", "empty", "shorter_than_a_topic"])
def test_a_bag_of_which_nothing_can_be_read_is_reported_in_one_line(
    run: Run, bag: Path, damage: str
) -> None:
    (storage,) = bag.glob("*.mcap")
    if damage == "no_storage":
        storage.unlink()
    else:
        storage.write_bytes(storage.read_bytes()[: 0 if damage == "empty" else 30])
    code, out, err = run(bag)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert str(bag) in err


@pytest.mark.parametrize("text", ["", "rosbag2_bagfile_information: [", "17\n", None])
def test_without_its_metadata_a_bag_gives_the_same_decisions_and_how_to_mend_it_is_said(
    run: Run, bag: Path, text: str | None
) -> None:
    whole = run(bag)
    metadata = bag / "metadata.yaml"
    if text is None:
        metadata.unlink()
    else:
        metadata.write_text(text)
    assert run(bag) == (
        *whole[:2],
        "metadata.yaml is missing, damaged or incomplete: "
        f"`ros2 bag reindex {bag}` writes a new one.\n",
    )


def test_the_file_of_a_recording_can_be_given_in_place_of_its_folder(run: Run, bag: Path) -> None:
    (bag / "policy.yaml").write_text("emergency_voltage_v: 13.0\n")
    (storage,) = bag.glob("*.mcap")
    assert run(storage)[1].splitlines()[2:] == run(bag)[1].splitlines()[2:]


def test_decisions_recorded_with_other_fields_are_not_compared(run: Run, tmp_path: Path) -> None:
    other = (1002.2, "/pqc/decision", made("thermal", 1002.0))
    out = run(write_bag(tmp_path / "bag", [*flight(4), other]))[1]
    assert "The decisions recorded in flight have other fields: they are not compared." in out
