# Copyright 2026 The PQC-MAV Authors
# SPDX-License-Identifier: Apache-2.0
"""Two runs side by side: ratios with intervals, and what differs between the machines."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

import pytest
from pqc_bench.bench_command import main
from pqc_bench.compare.build import comparison
from pqc_bench.metrics import write_metrics
from pqc_bench.report.run_data import read_run_folder
from pqc_sim.processes.run_fault import RunFault
from report_cells import rows_of
from report_page import Page
from report_run import make_run, raw_cells

SUITES = "cs-mlkem768-*-mldsa65"


def two_runs(folder: Path, repeat: int = 3) -> tuple[Path, Path]:
    a = make_run(folder / "a", SUITES, ("baseline", "light"), False, repeat=repeat)
    b = make_run(folder / "b", SUITES, ("baseline",), False, slower=2.0, repeat=repeat)
    for file in b.glob("cells/**/metrics.json"):
        metrics = json.loads(file.read_text())
        metrics["a_run_context"]["cpu_model"] = "Cortex-A76"
        write_metrics(file, metrics)
    return a, b


def test_ratios_are_those_of_the_medians_with_an_interval(tmp_path: Path) -> None:
    a, b = two_runs(tmp_path)
    report = comparison(read_run_folder(a), read_run_folder(b), tmp_path)
    rows = rows_of(report, "ratios")
    assert {row["scenario"] for row in rows} == {"baseline"}
    assert len(rows) == 4
    for row in rows:
        of = [
            median(
                cell["d_handshake"]["total_ms"]
                for cell in raw_cells(folder)
                if cell["b_crypto_identity"]["aead"] == suite_of(row["code"])
                and cell["a_run_context"]["scenario"] == "baseline"
            )
            for folder in (a, b)
        ]
        ratio, low, high = (
            float(row[name])
            for name in ("ratio_handshake_ms", "ratio_handshake_low_ms", "ratio_handshake_high_ms")
        )
        assert ratio == pytest.approx(of[1] / of[0])
        assert low <= ratio <= high
        assert row["ratio_power_w"] == ""


def suite_of(code: str) -> str:
    aeads = {"AG": "aesgcm", "CP": "chacha20poly1305", "AS": "ascon128a", "AE": "asconaead128"}
    return aeads[code.split("-")[2]]


def test_the_page_says_first_how_much_slower_and_lists_what_differs(tmp_path: Path) -> None:
    a, b = two_runs(tmp_path)
    report = comparison(read_run_folder(a), read_run_folder(b), tmp_path)
    assert "the median of 4 pairs of suite and condition (95 % interval" in report.sentence
    assert "lies within" not in report.sentence
    differing = {row["what"]: (row["a"], row["b"]) for row in rows_of(report, "differences")}
    assert list(differing) == ["cpu model"]
    assert differing["cpu model"][1] == "Cortex-A76"
    for link in Page(report.html).links:
        assert link[0] == "#" or (tmp_path / link).exists(), link


def test_a_run_beside_itself_differs_in_nothing(tmp_path: Path) -> None:
    a, _ = two_runs(tmp_path, repeat=2)
    run = read_run_folder(a)
    report = comparison(run, run, tmp_path)
    assert report.sentence.startswith("A handshake takes 1 times as long")
    assert "1 lies within it" in report.sentence
    assert rows_of(report, "differences") == []
    assert "Nothing that the runs record differs." in report.html


def test_without_repetitions_the_suites_give_the_interval(tmp_path: Path) -> None:
    conditions = ("baseline", "light")
    a = make_run(tmp_path / "a", SUITES, conditions, False, repeat=1)
    b = make_run(tmp_path / "b", SUITES, conditions, False, slower=2.0, repeat=1)
    report = comparison(read_run_folder(a), read_run_folder(b), tmp_path)
    assert all(row["ratio_handshake_low_ms"] == "" for row in rows_of(report, "ratios"))
    rows = rows_of(report, "ratio_medians")
    assert [row["scenario"] for row in rows] == ["baseline", "light", "all"]
    assert [row["suites"] for row in rows] == ["4", "4", "8"]
    for row in rows:
        low, high = float(row["ratio_handshake_low_ms"]), float(row["ratio_handshake_high_ms"])
        assert low <= float(row["ratio_handshake_ms"]) <= high


def test_the_command_writes_page_and_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = two_runs(tmp_path, repeat=1)
    page = tmp_path / "two.html"
    assert main(["compare", str(a), str(b), "--out", str(page)]) == 0
    assert "the median of 4 pairs of suite and condition (" in capsys.readouterr().out
    assert page.is_file()
    assert (tmp_path / "two-tables" / "ratios.csv").is_file()


def test_runs_without_a_cell_in_common_cant_be_compared(tmp_path: Path) -> None:
    a = make_run(tmp_path / "a", SUITES, ("baseline",), False)
    b = make_run(tmp_path / "b", SUITES, ("light",), False)
    with pytest.raises(RunFault, match="no suite was measured in the same condition"):
        comparison(read_run_folder(a), read_run_folder(b), tmp_path)
