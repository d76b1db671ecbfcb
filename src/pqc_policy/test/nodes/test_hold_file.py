# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The operator's hold outlives the policy: its file, and a node that is killed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from flight import MLKEM512, MLKEM768, policy_with
from policy_graph import LATCHED, Graph, policy_process
from pqc_policy.nodes.hold_file import Hold, HoldFile, Moment, present
from ros_graph import NodeProcess, own_graph

from pqc_msgs.msg import HeldSuite
from pqc_msgs.srv import HoldSuite

HOLD = Hold(MLKEM512, 60.0)
KEPT = Moment("first boot", 100.0)


def kept(folder: Path) -> HoldFile:
    """Return the file of a hold that was accepted at KEPT."""
    file = HoldFile(folder / "new" / "hold.json", lambda: KEPT)
    file.keep(HOLD)
    return file


def test_a_hold_is_kept_replaced_and_removed(tmp_path: Path) -> None:
    file = kept(tmp_path)
    file.keep(Hold(MLKEM768, 1.0))
    assert file.kept() == Hold(MLKEM768, 1.0)
    assert [entry.name for entry in file.path.parent.iterdir()] == ["hold.json"]
    file.keep(Hold("", 0.0))
    file.keep(Hold("", 0.0))
    assert file.kept() is None


def test_a_hold_goes_on_until_its_time_is_over_and_ends_with_the_boot(tmp_path: Path) -> None:
    file = kept(tmp_path)
    for passed_s, left in ((0.0, Hold(MLKEM512, 60.0)), (59.5, Hold(MLKEM512, 0.5)), (60.0, None)):
        now = Moment(KEPT.boot, KEPT.boot_s + passed_s)
        assert HoldFile(file.path, lambda now=now: now).resumed(policy_with()) == (left, "")
    rebooted = Moment("second boot", 20.0)
    assert HoldFile(file.path, lambda: rebooted).resumed(policy_with()) == (None, "")


def test_the_present_moment_is_one_of_this_boot() -> None:
    before, after = present(), present()
    assert before.boot == after.boot != ""
    assert 0.0 <= after.boot_s - before.boot_s < 3600.0


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"suite": "a", "seconds": 1.0, "boot": "b", "boot_s": 1}',
        '{"suite": 7, "seconds": 1.0, "boot": "b", "boot_s": 1.0}',
        '{"suite": "a", "seconds": NaN, "boot": "b", "boot_s": 1.0}',
        '{"suite": "a", "seconds": 1.0, "boot": "b", "boot_s": 1.0',
        "\udcff",
    ],
)
def test_a_damaged_file_is_a_value_error(tmp_path: Path, text: str) -> None:
    file = HoldFile(tmp_path / "hold.json")
    file.path.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(ValueError):
        file.kept()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with own_graph(tmp_path):
        yield tmp_path / "state"


def started(folder: Path, *parameters: str) -> NodeProcess:
    return policy_process(folder.parent, f"state_dir:={folder}", *parameters, sim_time=False)


def asked(request: HoldSuite.Request) -> str:
    """Ask for a hold; return the answer."""
    graph = Graph()
    try:
        return str(graph.call(HoldSuite, "hold_suite", request).message)
    finally:
        graph.close()


def test_a_killed_policy_goes_on_to_hold_and_a_release_is_final(folder: Path) -> None:
    first = started(folder)
    request = HoldSuite.Request(suite=MLKEM512, seconds=3600.0)
    assert asked(request) == f"The policy holds {MLKEM512} for 3600 s."
    first.stop(signal.SIGKILL)

    second, graph = started(folder), Graph()
    try:
        held: list[HeldSuite] = []
        graph.node.create_subscription(HeldSuite, "held_suite", held.append, LATCHED)
        decision = graph.wait_for(lambda: graph.decisions and graph.decisions[0], "a decision")
        assert decision.inputs.held_suite == MLKEM512
        graph.wait_for(lambda: held, "the hold")
        assert held[0].suite == MLKEM512 and 3000.0 < held[0].seconds < 3600.0
        assert f"The operator's hold of {MLKEM512} goes on for 3" in second.output
        graph.call(HoldSuite, "hold_suite", HoldSuite.Request())
    finally:
        graph.close()
        second.close()

    third, graph = started(folder), Graph()
    try:
        decision = graph.wait_for(lambda: graph.decisions and graph.decisions[0], "a decision")
        assert decision.inputs.held_suite == ""
        assert "hold" not in third.output.replace("threshold", "")
    finally:
        graph.close()
        third.close()


@pytest.mark.parametrize(
    ("damage", "parameter", "sentence"),
    [
        ("{", "stale_s:=2.0", "The operator's hold is not JSON"),
        ("", "strategy:=paper_2025", "The strategy paper_2025 has no rule operator"),
        ("", "allowed.min_level:=3", f"The policy may not choose {MLKEM512}."),
    ],
)
def test_a_hold_that_can_not_go_on_is_one_warning(
    folder: Path, damage: str, parameter: str, sentence: str
) -> None:
    first = started(folder)
    asked(HoldSuite.Request(suite=MLKEM512, seconds=3600.0))
    first.stop(signal.SIGKILL)
    (file,) = folder.iterdir()
    if damage:
        file.write_text(damage, encoding="utf-8")

    second, graph = started(folder, parameter), Graph()
    try:
        decision = graph.wait_for(lambda: graph.decisions and graph.decisions[0], "a decision")
        assert decision.inputs.held_suite == ""
        (line,) = [line for line in second.output.splitlines() if "operator's hold" in line]
        assert sentence in line
    finally:
        graph.close()
        second.close()


def test_a_hold_that_can_not_be_kept_says_so(folder: Path) -> None:
    folder.write_text("no folder")
    process = started(folder)
    answer = asked(HoldSuite.Request(suite=MLKEM512, seconds=60.0))
    process.close()
    assert answer.startswith(f"The policy holds {MLKEM512} for 60 s, but not beyond a restart: ")
