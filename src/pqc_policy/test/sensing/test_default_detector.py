# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from advisor_traffic import Told, Traffic, changed
from diagnostic_msgs.msg import DiagnosticStatus
from pqc_policy.sensing.model_card import CLASSES
from ros_graph import Listener, NodeProcess, own_graph

from pqc_msgs.msg import AdvisorVerdict

ARGUMENTS = ["-r", "__ns:=/pqc", "-p", "period_s:=0.2", "-p", "diagnostic_updater.period:=0.2"]


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[Listener]:
    with own_graph(tmp_path):
        client = Listener()
        yield client
        client.close()


def test_the_trees_fly_unless_another_detector_is_named(tmp_path: Path, listener: Listener) -> None:
    process = NodeProcess("advisor_node", tmp_path / "default.txt", *ARGUMENTS)
    try:
        told, traffic = Told(listener), Traffic(listener)
        verdicts = listener.subscribe(AdvisorVerdict, "/pqc/advisor")
        listener.wait_for(
            lambda: verdicts and verdicts[-1].detector == "trees" and told.status.message,
            "a verdict",
            traffic.fly,
        )
        listener.wait_for(lambda: told.status.message == "Clear", "a calm link", traffic.fly)
        assert told.status.level == DiagnosticStatus.OK
        assert told.values["detectors"] == "trees, counters, baseline"
        listener.wait_for(
            lambda: verdicts[-1].verdict == AdvisorVerdict.ATTACK,
            "an attack",
            lambda: traffic.fly(lost_per_s=90),
        )
        assert verdicts[-1].detector == "trees"
        assert verdicts[-1].attack_class in CLASSES[1:]
    finally:
        process.close()
    assert "heuristic" not in process.output


def test_without_its_detector_one_warning_and_the_diagnostics_say_what_judges(
    tmp_path: Path, listener: Listener
) -> None:
    arguments = [*ARGUMENTS, "-p", "detector:=absent"]
    process = NodeProcess("advisor_node", tmp_path / "without.txt", *arguments)
    sentence = "There is no detector absent. The heuristic takes its place."
    try:
        told, traffic = Told(listener), Traffic(listener)
        verdicts = listener.subscribe(AdvisorVerdict, "/pqc/advisor")
        listener.wait_for(
            lambda: told.status.message == f"Clear. {sentence}", "the diagnostic", traffic.fly
        )
        assert told.status.level == DiagnosticStatus.WARN
        # What is missing does not hide an attack.
        listener.wait_for(
            lambda: told.status.message == f"Attack. {sentence}",
            "an attack",
            lambda: traffic.fly(lost_per_s=90),
        )
        assert (verdicts[-1].detector, verdicts[-1].attack_class) == ("heuristic", "loss")
        assert changed(listener, "detector", "heuristic") == ""
        listener.wait_for(lambda: told.status.message == "Attack", "the diagnostic")
    finally:
        process.close()
    assert process.output.count(sentence) == 1
    assert process.output.count("WARN") == 1
