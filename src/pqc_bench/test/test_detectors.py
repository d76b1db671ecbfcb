# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest
from pqc_bench.bench_command import main, make_parser
from pqc_bench.detectors import run as detectors
from pqc_bench.detectors.command import HELD_OUT
from pqc_bench.record import run as record
from pqc_bench.record.schedule import BOTH, DOWN, UP, Phase, schedule
from pqc_sim.processes.run_fault import RunFault


def test_the_flights_are_held_out_unless_a_seed_is_named() -> None:
    assert make_parser().parse_args(["detectors"]).seed == HELD_OUT


def test_a_detector_that_was_named_and_is_missing_is_one_sentence() -> None:
    with pytest.raises(RunFault, match="There is no model nothing"):
        detectors.usable(("heuristic", "nothing"))
    with pytest.raises(RunFault, match="There is no further detector nothing"):
        detectors.usable(("heuristic+counters+nothing",))


def test_of_all_detectors_those_without_a_model_are_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(detectors, "NAMES", ("heuristic", "nothing", "heuristic+counters"))
    assert detectors.usable(()) == ("heuristic", "heuristic+counters")
    assert capsys.readouterr().err == "bench: left out: There is no model nothing.\n"


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("detectors") / "detectors.json"
    words = ["--flights", "2", "--seed", "1", "--jobs", "1", "--detectors", "heuristic+counters"]
    assert main(["detectors", *words, "--out", str(file)]) == 0
    return file


def test_the_file_has_rate_delay_false_alarms_and_cost_of_each_detector(compared: Path) -> None:
    (own,) = json.loads(compared.read_text())["detectors"].values()
    assert {"false_alarms_per_hour", "cpu_percent", "memory_kib", "roc", "links"} <= set(own)
    assert set(own["classes"]) == {"volumetric", "jamming", "timing", "protocol", "creeping"}
    assert all({"rate", "delay_s"} <= set(one) for one in own["classes"].values())


def test_a_recording_has_each_class_of_attack_that_is_quick_and_ends_calm() -> None:
    phases = schedule()
    assert {"normal", "volumetric", "jamming", "timing", "protocol"} == {p.label for p in phases}
    assert not phases[0].is_episode and not phases[-1].is_episode
    assert sum(phase.seconds for phase in phases) < 480.0


def test_a_phase_changes_its_direction_of_the_link_alone() -> None:
    usual = {UP: {"delay_ms": 35}, DOWN: {"delay_ms": 40}}
    jammed = Phase("losses", 1.0, "jamming", {UP: {"loss_percent": 75}}).profile(usual)
    assert jammed == {UP: {"delay_ms": 35, "loss_percent": 75}, DOWN: {"delay_ms": 40}}
    both = Phase("range", 1.0, link={BOTH: {"delay_ms": 9}}).profile(usual)
    assert both == {UP: {"delay_ms": 9}, DOWN: {"delay_ms": 9}}
    assert usual == {UP: {"delay_ms": 35}, DOWN: {"delay_ms": 40}}


def test_a_recording_needs_a_link_that_can_be_changed() -> None:
    with pytest.raises(RunFault, match="needs a link that can be changed"):
        record.usual_link("none")
