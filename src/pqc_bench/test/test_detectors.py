# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of `bench detectors`: which detectors it compares, and its options."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from pqc_bench.bench_command import main, make_parser
from pqc_bench.commands import detectors
from pqc_bench.harness.marked_page import replace_marked
from pqc_bench.options.detectors import HELD_OUT, TABLES_BEGIN, TABLES_END
from pqc_bench.record import run as record
from pqc_bench.record.schedule import BOTH, DOWN, UP, Phase, schedule
from pqc_bench.report.build import run_report
from pqc_bench.report.run_data import read_run_folder
from pqc_sim.processes.run_fault import RunFault
from report_run import make_run


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


def test_tables_are_replaced_between_the_marks(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{TABLES_BEGIN}\nold\n{TABLES_END}\nafter\n", encoding="utf-8")
    replace_marked(page, TABLES_BEGIN, TABLES_END, ["new"])
    text = page.read_text(encoding="utf-8")
    assert text == f"before\n{TABLES_BEGIN}\n\nnew\n{TABLES_END}\nafter\n"


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


def test_the_report_has_the_comparison_if_it_lies_beside_the_run(
    compared: Path, tmp_path: Path
) -> None:
    run = make_run(tmp_path / "run", "cs-mlkem768-aesgcm-mldsa65", ("baseline",))
    without = run_report(read_run_folder(run), tmp_path)
    assert "bench detectors --out RUN/detectors.json" in without.html
    assert 'id="detectors"' not in without.html, "there is no section without data"
    (run / "detectors.json").write_bytes(compared.read_bytes())
    report = run_report(read_run_folder(run), tmp_path)
    assert len(report.tables["detectors_classes"].splitlines()) == 1 + 5
    assert "heuristic+counters" in report.tables["detectors_costs"]
    assert "detected in time (%)" in report.html


def test_the_report_has_the_intervals_of_the_file_and_reads_files_without_them(
    compared: Path, tmp_path: Path
) -> None:
    run = make_run(tmp_path / "run", "cs-mlkem768-aesgcm-mldsa65", ("baseline",))
    result = json.loads(compared.read_text())
    (own,) = result["detectors"].values()
    jamming = {"attacks": 40, "rate": 0.5, "interval": [0.4, 0.6], "detected": 30}
    jamming |= {"rate_ever": 0.75, "interval_ever": [0.6, 0.9]}
    jamming |= {"delay_s": 5.0, "delay_interval_s": [4.0, 6.5]}
    own["classes"]["jamming"] = jamming
    own |= {"false_alarms_per_hour": 2.0, "false_alarms_interval": [1.0, 4.0], "false_alarms": 7}
    own |= {"named_right": 0.9, "named_right_interval": [0.8, 0.95]}
    (run / "detectors.json").write_text(json.dumps(result))
    tables = run_report(read_run_folder(run), tmp_path).tables
    row = next(one for one in _rows(tables["detectors_classes"]) if one["class"] == "jamming")
    assert [float(row[f"in_time_{end}_percent"]) for end in ("low", "high")] == [40.0, 60.0]
    assert [float(row[f"ever_{end}_percent"]) for end in ("low", "high")] == [60.0, 90.0]
    assert [float(row[f"delay_s_{end}"]) for end in ("low", "high")] == [4.0, 6.5]
    (row,) = _rows(tables["detectors_costs"])
    assert [row[f"false_alarms_per_hour_{end}"] for end in ("low", "high")] == ["1.0", "4.0"]
    assert [float(row[f"named_right_{end}_percent"]) for end in ("low", "high")] == [80.0, 95.0]
    for one in (jamming, own):
        for name in [name for name in one if "interval" in name and name != "interval"]:
            del one[name]
    (run / "detectors.json").write_text(json.dumps(result))
    tables = run_report(read_run_folder(run), tmp_path).tables
    row = next(one for one in _rows(tables["detectors_classes"]) if one["class"] == "jamming")
    assert (row["delay_s"], row["delay_s_low"]) == ("5.0", "")


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


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
