# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import tiny_models
from advisor_traffic import Told, Traffic, changed
from diagnostic_msgs.msg import DiagnosticStatus
from pqc_policy.sensing.traffic.features import FEATURES
from ros_graph import Listener, NodeProcess, own_graph

from pqc_msgs.msg import AdvisorVerdict

ALTERED = "The model altered is not the file that its card describes (SHA-256)."


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    parent = tmp_path_factory.mktemp("models")
    for name in ("altered", "fine"):
        tiny_models.folder(parent, name)
    content = (parent / "altered/model.bin").read_bytes()
    (parent / "altered/model.bin").write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    # The calm traffic below is outside this range.
    narrow = dict.fromkeys(FEATURES) | {"up_delivered": [0.0, 0.5]}
    tiny_models.folder(parent, "narrow", usual_range=narrow)
    return parent


@pytest.fixture(scope="module")
def listener(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listener]:
    with own_graph(tmp_path_factory.mktemp("logs")):
        client = Listener()
        yield client
        client.close()


@pytest.fixture(scope="module")
def advisor(models: Path, listener: Listener) -> Iterator[NodeProcess]:
    process = NodeProcess(
        "advisor_node",
        models / "advisor.txt",
        *("-r", "__ns:=/pqc", "-p", "detector:=altered", "-p", f"learned.model_dir:={models}"),
        *("-p", "diagnostic_updater.period:=0.2", "-p", "period_s:=0.2"),
        *("-p", "learned.drift_bins:=50"),
    )
    yield process
    process.close()


def test_the_heuristic_flies_in_place_of_an_altered_model_and_a_good_one_can_follow(
    advisor: NodeProcess, listener: Listener
) -> None:
    told, traffic = Told(listener), Traffic(listener)
    verdicts = listener.subscribe(AdvisorVerdict, "/pqc/advisor")
    sentence = f"{ALTERED} The heuristic takes its place."
    shown = f"Clear. {sentence}"
    listener.wait_for(lambda: told.status.message == shown, "the diagnostic", traffic.fly)
    assert told.status.level == DiagnosticStatus.WARN
    assert told.values["detectors"] == "heuristic, counters"
    assert sentence in advisor.output
    # What was refused at the start does not prevent another change, and is not forgotten.
    assert changed(listener, "attack_score", 0.8) == ""
    listener.wait_for(lambda: told.status.message == shown, "the diagnostic", traffic.fly)

    assert changed(listener, "detector", "fine") == ""
    assert changed(listener, "detector", "altered") == ALTERED
    listener.wait_for(
        lambda: (
            told.values.get("detectors") == "fine, counters, baseline"
            and told.status.message == "Clear"
        ),
        "the model",
        traffic.fly,
    )
    assert told.status.level == DiagnosticStatus.OK
    assert told.values["judging"].endswith(" ms")
    assert changed(listener, "further_detectors", [""]) == ""
    listener.wait_for(
        lambda: verdicts and verdicts[-1].verdict == AdvisorVerdict.ATTACK,
        "an attack",
        lambda: traffic.fly(strangers_per_s=100),
    )
    newest = verdicts[-1]
    assert (newest.detector, newest.attack_class) == ("fine", "volumetric")
    assert newest.probability == pytest.approx(1.0, abs=0.01)
    assert newest.evidence.startswith("the probability of an attack is ")


def test_traffic_unlike_the_training_data_is_a_warning_and_the_heuristic_judges(
    advisor: NodeProcess, listener: Listener
) -> None:
    told, traffic = Told(listener), Traffic(listener)
    assert changed(listener, "detector", "narrow") == ""
    listener.wait_for(
        lambda: "The traffic is unlike the training data of narrow" in told.status.message,
        "the warning",
        traffic.fly,
    )
    assert told.status.level == DiagnosticStatus.WARN
    assert told.status.message.endswith("The heuristic judges, too.")
    assert float(told.values["drift"]) == pytest.approx(1.0, abs=0.1)
    assert "heuristic" in told.values
    assert "unlike the training data" in advisor.output
