# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""The report names altered, missing and flagged cells, and mistakes of the user."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from exit_code import exit_code
from pqc_bench.bench_command import main
from pqc_bench.metrics import write_metrics
from pqc_bench.report.run_data import read_run_folder
from report_page import ONE, page_of, small_run
from report_run import raw_cells, set_state


def test_an_altered_cell_is_rejected_reported_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = small_run(tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*")
    (victim, *_) = sorted(folder.glob("cells/**/metrics.json"))
    metrics = json.loads(victim.read_text())
    metrics["d_handshake"]["total_ms"] = 0.001
    victim.write_text(json.dumps(metrics))
    assert main(["report", str(folder)]) == 1
    assert "was altered after it was written" in capsys.readouterr().out
    html = (folder / "report.html").read_text(encoding="utf-8")
    assert "2 of 3 cells are in the figures (1 refused)" in html
    assert "was altered after it was written" in html
    assert len((folder / "report-tables" / "suites.csv").read_text().splitlines()) == 3


def test_the_metrics_of_another_cell_are_rejected(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*")
    one, other, _ = sorted(folder.glob("cells/**/metrics.json"))
    other.write_bytes(one.read_bytes())
    assert [t.status for t in read_run_folder(folder).troubles] == ["refused"]


def test_failed_and_pending_cells_are_listed_with_their_reason(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run", "cs-mlkem*-aesgcm-mldsa*")
    place = "baseline/mavlink/clean"
    set_state(folder, f"{place}/cs-mlkem512-aesgcm-mldsa44", "failed", "Nothing <arrived>.")
    set_state(folder, f"{place}/cs-mlkem1024-aesgcm-mldsa87", "pending", "")
    html = page_of(folder)
    assert "1 of 3 cells are in the figures (1 failed, 1 pending)" in html
    assert "Nothing &lt;arrived&gt;." in html
    assert "It has not run yet." in html


def test_a_flagged_cell_stays_in_the_figures_and_is_listed(tmp_path: Path) -> None:
    folder = small_run(tmp_path / "run")
    (metrics,) = raw_cells(folder)
    metrics["r_validation"] |= {
        "flags": [{"name": "no_traffic", "text": "Nothing arrived from the drone."}],
        "sane": False,
    }
    (file,) = folder.glob("cells/**/metrics.json")
    write_metrics(file, metrics)
    html = page_of(folder)
    assert "1 of 1 cells are in the figures, 1 of them flagged." in html
    assert "Nothing arrived from the drone." in html


def test_a_run_of_one_cell_says_what_it_has_no_data_for(tmp_path: Path) -> None:
    html = page_of(small_run(tmp_path / "run"))
    for why in (
        "the run has one scenario, baseline",
        "the run has no speed.json",
        "the run has too few different sizes",
        "This machine has no thermal zone.",
        "No cell has a power sensor.",
    ):
        assert why in html


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "the following arguments are required: RUN_FOLDER"),
        (["nowhere"], "'nowhere' doesn't exist"),
        (["."], "there is no run in '.'"),
        (["{run}/run.json"], "is a file; name the folder of the run"),
        (["{run}", "--out", "."], "'.' is a folder; name a file in it"),
        (["{run}", "--out", "nowhere/page.html"], "there is no folder"),
    ],
)
def test_wrong_arguments_get_a_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    sentence: str,
) -> None:
    run = small_run(tmp_path / "run")
    monkeypatch.chdir(tmp_path)
    assert exit_code(["report", *(text.format(run=run) for text in arguments)]) == 2
    assert sentence in capsys.readouterr().err


def test_a_run_without_cells_gets_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = small_run(tmp_path / "run")
    set_state(folder, f"baseline/mavlink/clean/{ONE}", "failed", "It failed.")
    assert main(["report", str(folder)]) == 1
    assert "has results to report" in capsys.readouterr().err


def test_a_run_without_a_handshake_gets_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = small_run(tmp_path / "run")
    (metrics,) = raw_cells(folder)
    metrics["d_handshake"]["total_ms"] = None
    metrics["metric_status"]["d_handshake.total_ms"] = {
        "status": "unavailable",
        "reason": "The drone's last status didn't come.",
    }
    (file,) = folder.glob("cells/**/metrics.json")
    write_metrics(file, metrics)
    assert main(["report", str(folder)]) == 1
    assert "has results to report" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "content", "sentence"),
    [
        ("run.json", "{", "isn't the description of a run"),
        ("run.json", '{"format": 9, "new": 1}', "is of another version: it has format 9"),
        ("run.json", '{"suites": 5}', "isn't the description of a run"),
        ("state.json", "[]", "isn't the state of a run"),
        ("state.json", '{"format": 2, "cells": []}', "is of another version"),
        ("state.json", '{"format": 1, "cells": [{"cell": "a"}]}', "isn't the state of a run"),
        ("speed.json", "[", "is not JSON (line 1)"),
    ],
)
def test_a_broken_file_of_a_run_gets_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, content: str, sentence: str
) -> None:
    folder = small_run(tmp_path / "ein Lauf mit Ümlaut")
    (folder / file).write_text(content)
    assert main(["report", str(folder)]) == 1
    assert sentence in capsys.readouterr().err
